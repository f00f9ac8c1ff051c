package io.tensorfabric.verbs.soft;

import io.tensorfabric.verbs.AccessFlag;

/** Bits of rights for the hot path. */
final class Rights {

    static final int LOCAL_WRITE = AccessFlag.LOCAL_WRITE.bit();
    static final int REMOTE_WRITE = AccessFlag.REMOTE_WRITE.bit();
    static final int REMOTE_READ = AccessFlag.REMOTE_READ.bit();

    private Rights() {}
}
