package io.tensorfabric.chart;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * An object that the chart made.
 *
 * @param object the object
 * @param text its YAML, as Helm wrote it
 */
record Manifest(JsonNode object, String text) {

    String kind() {
        return object.path("kind").asText();
    }

    String apiVersion() {
        return object.path("apiVersion").asText();
    }

    String name() {
        return object.at("/metadata/name").asText();
    }

    /** A value by JSON pointer. */
    JsonNode at(String pointer) {
        return object.at(pointer);
    }

    @Override
    public String toString() {
        return kind() + " " + name();
    }
}
