package io.tensorfabric.connection;

import io.tensorfabric.verbs.AccessFlag;
import io.tensorfabric.verbs.Errno;
import io.tensorfabric.verbs.MemoryRegion;
import io.tensorfabric.verbs.MemoryWindow;
import io.tensorfabric.verbs.ProtectionDomain;
import io.tensorfabric.verbs.QueuePair;
import io.tensorfabric.verbs.QueuePairOptions;
import io.tensorfabric.verbs.SharedReceiveQueue;
import io.tensorfabric.verbs.VerbsContext;
import io.tensorfabric.verbs.VerbsException;
import java.util.EnumSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A protection domain in which all memory may be written to in any order: nobody here reads memory before a completion that
 * covers it, which a device never reports early. The right is a hint that kernels and drivers without it ignore; from one that
 * refuses it instead, memory is registered without. Thread-safe.
 */
final class RelaxedDomain implements ProtectionDomain {

    private static final Logger LOG = LoggerFactory.getLogger(RelaxedDomain.class);

    private final ProtectionDomain domain;

    private volatile boolean refused;

    RelaxedDomain(ProtectionDomain domain) {
        this.domain = domain;
    }

    private interface Registration {
        MemoryRegion with(Set<AccessFlag> access);
    }

    private MemoryRegion register(Set<AccessFlag> access, Registration registration) {
        if (refused) {
            return registration.with(access);
        }
        Set<AccessFlag> relaxed = EnumSet.of(AccessFlag.RELAXED_ORDERING);
        relaxed.addAll(access);
        try {
            return registration.with(relaxed);
        } catch (VerbsException e) {
            if (e.errno() != Errno.EINVAL && e.errno() != Errno.EOPNOTSUPP) {
                throw e;
            }
            // Whatever else was wrong with it fails once more.
            MemoryRegion region = registration.with(access);
            refused = true;
            LOG.info(
                    "{} refuses relaxed ordering of its writes to memory, which is not used",
                    context().deviceName());
            return region;
        }
    }

    /** Whether the device takes the hint, in words. */
    String text() {
        return refused ? "refused by the device" : "allowed";
    }

    @Override
    public VerbsContext context() {
        return domain.context();
    }

    @Override
    public MemoryRegion registerMemory(long address, long length, Set<AccessFlag> access) {
        return register(access, rights -> domain.registerMemory(address, length, rights));
    }

    @Override
    public MemoryRegion registerDmaBuf(
            int fileDescriptor, long offset, long length, long address, Set<AccessFlag> access) {
        return register(access, rights -> domain.registerDmaBuf(fileDescriptor, offset, length, address, rights));
    }

    @Override
    public MemoryRegion registerPeerMemory(long address, long length, Set<AccessFlag> access) {
        return register(access, rights -> domain.registerPeerMemory(address, length, rights));
    }

    @Override
    public MemoryWindow allocateMemoryWindow() {
        return domain.allocateMemoryWindow();
    }

    @Override
    public SharedReceiveQueue createSharedReceiveQueue(int maxWorkRequests, int maxScatterGatherElements) {
        return domain.createSharedReceiveQueue(maxWorkRequests, maxScatterGatherElements);
    }

    @Override
    public QueuePair createQueuePair(QueuePairOptions options) {
        return domain.createQueuePair(options);
    }

    @Override
    public boolean isClosed() {
        return domain.isClosed();
    }

    @Override
    public void close() {
        domain.close();
    }

    @Override
    public String toString() {
        return domain.toString();
    }
}
