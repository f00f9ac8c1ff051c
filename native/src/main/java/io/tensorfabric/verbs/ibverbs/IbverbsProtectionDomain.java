package io.tensorfabric.verbs.ibverbs;

import io.tensorfabric.verbs.AccessFlag;
import io.tensorfabric.verbs.Errno;
import io.tensorfabric.verbs.MemoryRegion;
import io.tensorfabric.verbs.MemoryWindow;
import io.tensorfabric.verbs.ProtectionDomain;
import io.tensorfabric.verbs.QueuePair;
import io.tensorfabric.verbs.QueuePairOptions;
import io.tensorfabric.verbs.SharedReceiveQueue;
import io.tensorfabric.verbs.VerbsContext;
import java.util.Set;

/** A protection domain. */
final class IbverbsProtectionDomain extends IbverbsResource implements ProtectionDomain {

    private final IbverbsContext context;

    IbverbsProtectionDomain(IbverbsContext context, long address) {
        super(new NativeHandle(
                "protection domain of " + context.deviceName(),
                address,
                "ibv_dealloc_pd",
                NativeVerbs::destroyDomain,
                context.handle));
        this.context = context;
    }

    @Override
    public VerbsContext context() {
        return context;
    }

    IbverbsContext device() {
        return context;
    }

    @Override
    public MemoryRegion registerMemory(long address, long length, Set<AccessFlag> access) {
        long domain = handle.enter();
        try {
            checkRange("ibv_reg_mr", address, length);
            long region = NativeVerbs.createRegion(domain, address, length, AccessFlag.mask(access));
            return adopt("ibv_reg_mr", region, address, length, access);
        } finally {
            handle.exit();
        }
    }

    @Override
    public MemoryRegion registerDmaBuf(
            int fileDescriptor, long offset, long length, long address, Set<AccessFlag> access) {
        long domain = handle.enter();
        try {
            checkRange("ibv_reg_dmabuf_mr", offset, length);
            long region = NativeVerbs.createDmaBufRegion(
                    domain, offset, length, address, fileDescriptor, AccessFlag.mask(access));
            return adopt("ibv_reg_dmabuf_mr", region, address, length, access);
        } finally {
            handle.exit();
        }
    }

    private MemoryRegion adopt(String call, long region, long address, long length, Set<AccessFlag> access) {
        if (region == -Errno.ENOMEM.number() || region == -Errno.EPERM.number()) {
            throw Failures.of(
                    call, region, length + " bytes on device " + context.deviceName() + "; " + LockedMemory.describe());
        }
        Failures.check(region, call, length + " bytes with rights " + access + " on device " + context.deviceName());
        return new IbverbsMemoryRegion(this, region, address, length, access);
    }

    private void checkRange(String call, long start, long length) {
        if (length < 1 || (start + length < start && start + length != 0)) {
            throw Failures.invalid(call, "a range of " + length + " bytes on device " + context.deviceName());
        }
    }

    @Override
    public MemoryWindow allocateMemoryWindow() {
        long domain = handle.enter();
        try {
            return IbverbsMemoryWindow.create(this, domain);
        } finally {
            handle.exit();
        }
    }

    @Override
    public SharedReceiveQueue createSharedReceiveQueue(int maxWorkRequests, int maxScatterGatherElements) {
        long domain = handle.enter();
        try {
            return IbverbsSharedReceiveQueue.create(this, domain, maxWorkRequests, maxScatterGatherElements);
        } finally {
            handle.exit();
        }
    }

    @Override
    public QueuePair createQueuePair(QueuePairOptions options) {
        long domain = handle.enter();
        try {
            return QueuePairFactory.create(this, domain, options);
        } finally {
            handle.exit();
        }
    }
}
