package io.tensorfabric.service.web;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.springframework.http.converter.HttpMessageNotReadableException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.exc.InvalidFormatException;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.exc.UnrecognizedPropertyException;

/** What is wrong with a JSON body, in words for its sender: fields and values, no classes. */
final class BodyFaults {

    private BodyFaults() {}

    static String describe(HttpMessageNotReadableException ex) {
        if (ex.getCause() instanceof UnrecognizedPropertyException unknown) {
            return "There is no field '" + unknown.getPropertyName() + "'; known are " + unknown.getKnownPropertyIds();
        }
        if (ex.getCause() instanceof InvalidFormatException invalid) {
            return "Field '" + path(invalid) + "' does not take '" + invalid.getValue() + "'" + choice(invalid);
        }
        if (ex.getCause() instanceof MismatchedInputException mismatched) {
            String path = path(mismatched);
            return path.isEmpty()
                    ? "The body must be a JSON object"
                    : "Field '" + path + "' has a value of the wrong type";
        }
        return ex.getCause() instanceof JacksonException malformed
                ? "The body is not valid JSON: " + malformed.getOriginalMessage()
                : "The body is missing or cannot be read";
    }

    private static String choice(InvalidFormatException invalid) {
        Class<?> type = invalid.getTargetType();
        return type != null && type.isEnum()
                ? Arrays.stream(type.getEnumConstants())
                        .map(String::valueOf)
                        .collect(Collectors.joining(", ", "; it is one of ", ""))
                : "";
    }

    private static String path(JacksonException ex) {
        return ex.getPath().stream()
                .map(reference -> String.valueOf(reference.getPropertyName()))
                .collect(Collectors.joining("."));
    }
}
