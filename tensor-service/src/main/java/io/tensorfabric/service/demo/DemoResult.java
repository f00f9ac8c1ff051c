package io.tensorfabric.service.demo;

import tools.jackson.databind.JsonNode;

/**
 * What came of the demo.
 *
 * @param push the ended push as A tells it
 * @param tensors tensors that arrived with equal hashes
 * @param bytes their payload bytes
 */
record DemoResult(JsonNode push, int tensors, long bytes) {

    double gigabytesPerSecond() {
        double seconds = push.get("millis").asDouble() / 1e3;
        return seconds == 0 ? 0 : bytes / seconds / 1e9;
    }
}
