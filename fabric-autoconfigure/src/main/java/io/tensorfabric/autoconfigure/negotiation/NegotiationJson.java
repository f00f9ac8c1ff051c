package io.tensorfabric.autoconfigure.negotiation;

import java.util.stream.Collectors;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DatabindException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.cfg.CoercionAction;
import tools.jackson.databind.cfg.CoercionInputShape;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.type.LogicalType;

/**
 * Reads and writes the bodies of the negotiation, strictly: no coercion, no trailing text, no duplicate or missing fields,
 * bounded depth and lengths. Unknown fields are ignored, so that a newer peer may add some. A mapper of its own, so that the
 * application's Jackson settings do not change the protocol. Thread-safe.
 */
final class NegotiationJson {

    private static final StreamReadConstraints CONSTRAINTS = StreamReadConstraints.builder()
            .maxNestingDepth(8)
            .maxNameLength(128)
            .maxStringLength(4096)
            .maxNumberLength(24)
            .build();

    private final JsonMapper mapper = JsonMapper.builder(
                    JsonFactory.builder().streamReadConstraints(CONSTRAINTS).build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS, DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(EnumFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, DeserializationFeature.ACCEPT_FLOAT_AS_INT)
            .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
            .withCoercionConfig(
                    LogicalType.Textual,
                    config -> config.setCoercion(CoercionInputShape.Integer, CoercionAction.Fail)
                            .setCoercion(CoercionInputShape.Float, CoercionAction.Fail)
                            .setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail))
            .build();

    /**
     * Reads a body.
     *
     * @throws NegotiationProblem with status 400 that names the place, never a value
     */
    <T extends Record> T read(byte[] body, Class<T> type) {
        T value;
        try {
            value = mapper.readValue(body, type);
        } catch (DatabindException ex) {
            throw NegotiationProblem.malformed("The JSON does not fit at '" + path(ex) + "'.");
        } catch (StreamReadException ex) {
            throw NegotiationProblem.malformed("The body is not acceptable JSON near byte "
                    + (ex.getLocation() == null ? 0 : ex.getLocation().getByteOffset()) + ".");
        } catch (JacksonException ex) {
            throw NegotiationProblem.malformed("The body is not acceptable JSON.");
        }
        if (value == null) {
            throw NegotiationProblem.malformed("The body is null.");
        }
        RecordChecks.requireComplete(value);
        return value;
    }

    byte[] write(Record value) {
        return mapper.writeValueAsBytes(value);
    }

    private static String path(DatabindException failure) {
        return failure.getPath().stream()
                .map(step -> step.getPropertyName() == null ? "[" + step.getIndex() + "]" : step.getPropertyName())
                .map(ProblemDetails::printable)
                .collect(Collectors.joining("."));
    }
}
