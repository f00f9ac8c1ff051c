package io.tensorfabric.testing.cuda;

import io.tensorfabric.verbs.Errno;
import io.tensorfabric.verbs.PeerMemory;
import io.tensorfabric.verbs.VerbsException;

/** Plays nvidia-peermem for software devices, when the stub of the driver is loaded. */
public final class StubPeerMemory implements PeerMemory {

    /** For the service loader. */
    public StubPeerMemory() {}

    @Override
    public long locate(long address, long length) {
        if (!StubCuda.isLoaded()) {
            return 0;
        }
        long found = StubCuda.peerAddress(address, length);
        if (found < 0) {
            throw new VerbsException("ibv_reg_mr", Errno.EFAULT, "the stub's peer memory is switched off");
        }
        return found;
    }
}
