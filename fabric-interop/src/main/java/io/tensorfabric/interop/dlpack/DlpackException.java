package io.tensorfabric.interop.dlpack;

import org.jspecify.annotations.Nullable;

/** A tensor of DLPack that cannot be taken as it lies, or a structure that is not valid; the message says why. */
public final class DlpackException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    DlpackException(String message) {
        this(message, null);
    }

    DlpackException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
