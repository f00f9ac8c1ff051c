package io.tensorfabric.tensor.safetensors;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The one exception for content that is not valid safetensors, or is above a documented limit. */
public final class SafetensorsFormatException extends IOException {

    private static final long serialVersionUID = 1L;

    private static final int LONGEST_QUOTE = 100;

    SafetensorsFormatException(String message) {
        this(message, null);
    }

    SafetensorsFormatException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** A name out of a file, made fit for a message: short, and without control characters. */
    static String quote(String text) {
        StringBuilder quoted = new StringBuilder("'");
        text.codePoints()
                .limit(LONGEST_QUOTE)
                .forEach(c -> quoted.appendCodePoint(Character.isISOControl(c) ? '\uFFFD' : c));
        return quoted.append(text.length() > LONGEST_QUOTE ? "...'" : "'").toString();
    }
}
