package io.tensorfabric.verbs.soft;

import io.tensorfabric.verbs.AsyncEvent;
import io.tensorfabric.verbs.CompletionChannel;
import io.tensorfabric.verbs.CompletionQueue;
import io.tensorfabric.verbs.DeviceAttributes;
import io.tensorfabric.verbs.Errno;
import io.tensorfabric.verbs.GidEntry;
import io.tensorfabric.verbs.PortAttributes;
import io.tensorfabric.verbs.ProtectionDomain;
import io.tensorfabric.verbs.SendRequests;
import io.tensorfabric.verbs.VerbsContext;
import io.tensorfabric.verbs.VerbsException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Handle of an open software device. */
final class SoftContext extends SoftResource implements VerbsContext {

    private final Engine engine;

    SoftContext(Engine engine) {
        super(new Lifecycle("context of " + engine.options().name(), "ibv_close_device"));
        this.engine = engine;
    }

    Engine engine() {
        return engine;
    }

    @Override
    public String deviceName() {
        return engine.options().name();
    }

    @Override
    public DeviceAttributes queryDevice() {
        checkOpen();
        engine.faults().checkCall("ibv_query_device");
        SoftDeviceOptions options = engine.options();
        return new DeviceAttributes(
                "soft-" + Wire.VERSION,
                Integer.toUnsignedLong(options.name().hashCode()),
                options.portCount(),
                options.maxQueuePairs(),
                options.maxWorkRequests(),
                SendRequests.MAX_ELEMENTS,
                options.maxCompletionQueues(),
                options.maxCompletionQueueEntries(),
                options.maxMemoryRegions(),
                options.maxMemoryRegionSize(),
                options.maxMemoryWindows(),
                true,
                options.maxProtectionDomains(),
                options.maxSharedReceiveQueues(),
                options.maxWorkRequests(),
                options.maxReads(),
                options.maxReads(),
                options.maxInlineData());
    }

    @Override
    public PortAttributes queryPort(int port) {
        checkOpen();
        engine.faults().checkCall("ibv_query_port");
        return engine.ports().query(port);
    }

    @Override
    public List<GidEntry> queryGidTable(int port) {
        checkOpen();
        engine.faults().checkCall("ibv_query_gid_table");
        return engine.ports().gids(port);
    }

    @Override
    public ProtectionDomain allocateProtectionDomain() {
        checkOpen();
        engine.faults().checkCall("ibv_alloc_pd");
        engine.domainQuota().take();
        try {
            return new SoftProtectionDomain(this);
        } catch (RuntimeException ex) {
            engine.domainQuota().give();
            throw ex;
        }
    }

    @Override
    public CompletionChannel createCompletionChannel() {
        checkOpen();
        engine.faults().checkCall("ibv_create_comp_channel");
        return new SoftCompletionChannel(this);
    }

    @Override
    public CompletionQueue createCompletionQueue(int entries, @Nullable CompletionChannel channel) {
        checkOpen();
        engine.faults().checkCall("ibv_create_cq");
        int limit = engine.options().maxCompletionQueueEntries();
        if (entries < 1 || entries > limit) {
            throw new VerbsException(
                    "ibv_create_cq",
                    Errno.EINVAL,
                    "a completion queue holds 1 to " + limit + " entries (the device's limit), not " + entries);
        }
        SoftCompletionChannel own = null;
        if (channel != null) {
            if (!(channel instanceof SoftCompletionChannel soft) || soft.context() != this) {
                throw new VerbsException("ibv_create_cq", Errno.EINVAL, "the channel is of another context");
            }
            own = soft;
        }
        engine.queueQuota().take();
        try {
            return new SoftCompletionQueue(this, Sizes.roundUp(entries, limit), own);
        } catch (RuntimeException ex) {
            engine.queueQuota().give();
            throw ex;
        }
    }

    @Override
    public @Nullable AsyncEvent awaitAsyncEvent(Duration timeout) {
        checkOpen();
        return engine.events().await(timeout);
    }

    @Override
    void destroy() {
        engine.faults().checkCall("ibv_close_device");
        engine.close();
    }
}
