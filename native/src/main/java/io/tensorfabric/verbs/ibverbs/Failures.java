package io.tensorfabric.verbs.ibverbs;

import io.tensorfabric.verbs.Errno;
import io.tensorfabric.verbs.VerbsException;

/** Makes exceptions of what native methods return. */
final class Failures {

    private Failures() {}

    /** The failure of a call that returned {@code -errno}. */
    static VerbsException of(String call, long rc, String detail) {
        Errno errno = Errno.ofNumber((int) -rc);
        return new VerbsException(call, errno, errno == Errno.UNKNOWN ? detail + " (errno " + -rc + ")" : detail);
    }

    /** Passes a result on, or throws when it is {@code -errno}. */
    static long check(long rc, String call, String detail) {
        if (rc < 0) {
            throw of(call, rc, detail);
        }
        return rc;
    }

    /** The refusal of arguments that do not even fit the call. */
    static VerbsException invalid(String call, String detail) {
        return new VerbsException(call, Errno.EINVAL, detail);
    }
}
