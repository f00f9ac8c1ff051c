package io.tensorfabric.interop.npy;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** What was read is no NumPy file, or one of a kind that is not read here; the message says which. */
public final class NpyFormatException extends IOException {

    private static final long serialVersionUID = 1L;

    NpyFormatException(String message) {
        this(message, null);
    }

    NpyFormatException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
