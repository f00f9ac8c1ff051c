package io.tensorfabric.service.store;

/** The store's budget does not allow another tensor or file. */
public class StoreFullException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** States what did not fit and the budget. */
    public StoreFullException(String message) {
        super(message);
    }
}
