package io.tensorfabric.verbs.soft;

import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.verbs.AccessFlag;
import io.tensorfabric.verbs.Errno;
import io.tensorfabric.verbs.MemoryRegion;
import io.tensorfabric.verbs.MemoryWindow;
import io.tensorfabric.verbs.ProtectionDomain;
import io.tensorfabric.verbs.QueuePair;
import io.tensorfabric.verbs.QueuePairCapabilities;
import io.tensorfabric.verbs.QueuePairOptions;
import io.tensorfabric.verbs.QueuePairType;
import io.tensorfabric.verbs.ReceiveRequests;
import io.tensorfabric.verbs.SendRequests;
import io.tensorfabric.verbs.SharedReceiveQueue;
import io.tensorfabric.verbs.VerbsContext;
import io.tensorfabric.verbs.VerbsException;
import java.util.Set;
import java.util.function.Supplier;

/** Handle of a protection domain. */
final class SoftProtectionDomain extends SoftResource implements ProtectionDomain {

    private static final int WRITING = AccessFlag.REMOTE_WRITE.bit() | AccessFlag.REMOTE_ATOMIC.bit();

    private final SoftContext context;

    /** What regions and queue pairs of this domain have in common, which must not keep the handle alive. */
    private final Object identity = new Object();

    SoftProtectionDomain(SoftContext context) {
        super(new Lifecycle("protection domain " + context.engine().nextId(), "ibv_dealloc_pd", context.lifecycle()));
        this.context = context;
    }

    @Override
    public VerbsContext context() {
        return context;
    }

    Engine engine() {
        return context.engine();
    }

    Object identity() {
        return identity;
    }

    @Override
    public MemoryRegion registerMemory(long address, long length, Set<AccessFlag> access) {
        checkRegistration("ibv_reg_mr", address, length, access);
        return counted(engine().regionQuota(), () -> new SoftMemoryRegion(this, address, length, access, null));
    }

    @Override
    public MemoryRegion registerPeerMemory(long address, long length, Set<AccessFlag> access) {
        checkRegistration("ibv_reg_mr", address, length, access);
        Mapping mapping = Mapping.ofPeerMemory(address, length, context.deviceName());
        return counted(engine().regionQuota(), () -> new SoftMemoryRegion(this, address, length, access, mapping));
    }

    @Override
    public MemoryRegion registerDmaBuf(
            int fileDescriptor, long offset, long length, long address, Set<AccessFlag> access) {
        checkRegistration("ibv_reg_dmabuf_mr", address, length, access);
        if (offset < 0 || ((offset ^ address) & (OffHeap.pageSize() - 1)) != 0) {
            throw invalid("ibv_reg_dmabuf_mr", "offset and address must have the same offset within a page");
        }
        Mapping mapping = Mapping.ofDmaBuf(fileDescriptor, offset, length, context.deviceName());
        try {
            return counted(engine().regionQuota(), () -> new SoftMemoryRegion(this, address, length, access, mapping));
        } catch (RuntimeException ex) {
            mapping.close();
            throw ex;
        }
    }

    private void checkRegistration(String call, long address, long length, Set<AccessFlag> access) {
        checkOpen();
        engine().faults().checkCall(call);
        int rights = AccessFlag.mask(access);
        boolean wraps = Long.compareUnsigned(address + length, address) < 0 && address + length != 0;
        if (address == 0 || length < 1 || wraps) {
            throw invalid(call, "a range of " + length + " bytes at this address is not memory");
        }
        if ((rights & WRITING) != 0 && (rights & Rights.LOCAL_WRITE) == 0) {
            throw invalid(call, "remote write and atomics need LOCAL_WRITE, but the rights are " + access);
        }
        long limit = engine().options().maxMemoryRegionSize();
        if (length > limit) {
            throw new VerbsException(
                    call,
                    Errno.ENOMEM,
                    "a region of " + length + " bytes is larger than the device's limit of " + limit
                            + " (max_mr_size)");
        }
    }

    @Override
    public MemoryWindow allocateMemoryWindow() {
        checkOpen();
        engine().faults().checkCall("ibv_alloc_mw");
        return counted(engine().windowQuota(), () -> new SoftMemoryWindow(this, engine().nextId()));
    }

    @Override
    public SharedReceiveQueue createSharedReceiveQueue(int maxWorkRequests, int maxScatterGatherElements) {
        checkOpen();
        engine().faults().checkCall("ibv_create_srq");
        int limit = engine().options().maxWorkRequests();
        range("ibv_create_srq", "receives", maxWorkRequests, 1, limit);
        range("ibv_create_srq", "elements of a receive", maxScatterGatherElements, 1, ReceiveRequests.MAX_ELEMENTS);
        return counted(
                engine().sharedQuota(),
                () -> new SoftSharedReceiveQueue(
                        this, Sizes.roundUp(maxWorkRequests, limit), maxScatterGatherElements));
    }

    @Override
    public QueuePair createQueuePair(QueuePairOptions options) {
        checkOpen();
        engine().faults().checkCall("ibv_create_qp");
        if (options.type() != QueuePairType.RC) {
            throw new VerbsException(
                    "ibv_create_qp",
                    Errno.EOPNOTSUPP,
                    "the software device has reliable connected queue pairs only, not " + options.type());
        }
        QueuePairCapabilities granted = grant(options);
        boolean ours = options.sendQueue() instanceof SoftCompletionQueue send
                && send.context() == context
                && options.receiveQueue() instanceof SoftCompletionQueue receive
                && receive.context() == context;
        SharedReceiveQueue shared = options.sharedReceiveQueue();
        boolean sharedFits =
                shared == null || (shared instanceof SoftSharedReceiveQueue soft && soft.domain().context == context);
        if (!ours || !sharedFits) {
            throw invalid("ibv_create_qp", "its completion queues or shared receive queue are of another context");
        }
        return counted(engine().pairQuota(), () -> SoftQueuePair.create(this, options, granted));
    }

    private QueuePairCapabilities grant(QueuePairOptions options) {
        String call = "ibv_create_qp";
        QueuePairCapabilities asked = options.capabilities();
        int limit = engine().options().maxWorkRequests();
        boolean shared = options.sharedReceiveQueue() != null;
        range(call, "send work requests", asked.maxSendRequests(), 0, limit);
        range(call, "elements of a send", asked.maxSendElements(), 0, SendRequests.MAX_ELEMENTS);
        range(
                call,
                "bytes of inline data",
                asked.maxInlineData(),
                0,
                engine().options().maxInlineData());
        if (!shared) {
            range(call, "receive work requests", asked.maxReceiveRequests(), 0, limit);
            range(call, "elements of a receive", asked.maxReceiveElements(), 0, ReceiveRequests.MAX_ELEMENTS);
        }
        return new QueuePairCapabilities(
                Sizes.roundUp(asked.maxSendRequests(), limit),
                shared ? 0 : Sizes.roundUp(asked.maxReceiveRequests(), limit),
                asked.maxSendElements(),
                shared ? 0 : asked.maxReceiveElements(),
                asked.maxInlineData());
    }

    private <T> T counted(Quota quota, Supplier<T> make) {
        quota.take();
        try {
            return make.get();
        } catch (RuntimeException ex) {
            quota.give();
            throw ex;
        }
    }

    private static void range(String call, String what, int value, int min, int max) {
        if (value < min || value > max) {
            throw invalid(
                    call, "the number of " + what + " must be " + min + " to the limit of " + max + ", not " + value);
        }
    }

    private static VerbsException invalid(String call, String detail) {
        return new VerbsException(call, Errno.EINVAL, detail);
    }

    @Override
    void destroy() {
        engine().faults().checkCall("ibv_dealloc_pd");
        engine().domainQuota().give();
    }
}
