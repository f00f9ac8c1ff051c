package io.tensorfabric.service.store;

/** A file that the store could not take even if it were empty. */
public class FileTooLargeException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** States which file, its size and the budget. */
    public FileTooLargeException(String message) {
        super(message);
    }
}
