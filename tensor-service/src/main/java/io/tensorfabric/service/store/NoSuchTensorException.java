package io.tensorfabric.service.store;

/** A file or tensor that the store does not have. */
public class NoSuchTensorException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** States which file or tensor. */
    public NoSuchTensorException(String message) {
        super(message);
    }
}
