package io.tensorfabric.autoconfigure.negotiation;

import java.util.Map;

/**
 * An answer to a call.
 *
 * @param status HTTP status
 * @param contentType media type of the body
 * @param body body, possibly empty
 * @param headers further headers
 */
@SuppressWarnings("ArrayRecordComponent") // handed over once, never compared
record Answer(int status, String contentType, byte[] body, Map<String, String> headers) {

    static final String JSON = "application/json";
}
