package io.tensorfabric.verbs;

/** A verbs call failed: which call, on what, with which errno, and what to do. */
public class VerbsException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String call;

    private final Errno errno;

    private final int accepted;

    /**
     * A failed call.
     *
     * @param call name of the libibverbs call, such as {@code ibv_modify_qp}
     * @param errno error
     * @param detail on what and why, without keys or addresses
     */
    public VerbsException(String call, Errno errno, String detail) {
        this(call, errno, detail, 0);
    }

    /**
     * A failed post.
     *
     * @param call name of the libibverbs call
     * @param errno error
     * @param detail on what and why, without keys or addresses
     * @param accepted work requests that were taken before the bad one
     */
    public VerbsException(String call, Errno errno, String detail, int accepted) {
        super(call + " failed with " + errno + " (" + errno.meaning() + "): " + detail + ". " + errno.remedy());
        this.call = call;
        this.errno = errno;
        this.accepted = accepted;
    }

    /** Name of the libibverbs call. */
    public String call() {
        return call;
    }

    /** The error. */
    public Errno errno() {
        return errno;
    }

    /** Work requests of a post that were taken before the bad one. */
    public int accepted() {
        return accepted;
    }
}
