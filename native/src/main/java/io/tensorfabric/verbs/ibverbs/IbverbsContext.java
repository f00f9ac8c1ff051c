package io.tensorfabric.verbs.ibverbs;

import io.tensorfabric.verbs.AsyncEvent;
import io.tensorfabric.verbs.CompletionChannel;
import io.tensorfabric.verbs.CompletionQueue;
import io.tensorfabric.verbs.DeviceAttributes;
import io.tensorfabric.verbs.GidEntry;
import io.tensorfabric.verbs.PortAttributes;
import io.tensorfabric.verbs.ProtectionDomain;
import io.tensorfabric.verbs.VerbsContext;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An open device. */
final class IbverbsContext extends IbverbsResource implements VerbsContext {

    private final String deviceName;

    private final int wake;

    private final ObjectIds ids = new ObjectIds();

    private final WindowKeys windows;

    private final DeviceQueries queries;

    IbverbsContext(String deviceName, long address, int wake) {
        super(new NativeHandle("context of " + deviceName, address, "ibv_close_device", context -> {
            int rc = NativeVerbs.closeDevice(context);
            return rc < 0 ? rc : NativeVerbs.closeWake(wake);
        }));
        this.deviceName = deviceName;
        this.wake = wake;
        this.windows = WindowKeys.of(deviceName);
        this.queries = new DeviceQueries(deviceName);
    }

    ObjectIds ids() {
        return ids;
    }

    WindowKeys windows() {
        return windows;
    }

    @Override
    public String deviceName() {
        return deviceName;
    }

    @Override
    public DeviceAttributes queryDevice() {
        long context = handle.enter();
        try {
            return queries.device(context);
        } finally {
            handle.exit();
        }
    }

    @Override
    public PortAttributes queryPort(int port) {
        long context = handle.enter();
        try {
            return queries.port(context, port);
        } finally {
            handle.exit();
        }
    }

    @Override
    public List<GidEntry> queryGidTable(int port) {
        long context = handle.enter();
        try {
            return queries.gids(context, port);
        } finally {
            handle.exit();
        }
    }

    @Override
    public ProtectionDomain allocateProtectionDomain() {
        long context = handle.enter();
        try {
            long domain = Failures.check(NativeVerbs.createDomain(context), "ibv_alloc_pd", "device " + deviceName);
            return new IbverbsProtectionDomain(this, domain);
        } finally {
            handle.exit();
        }
    }

    @Override
    public CompletionChannel createCompletionChannel() {
        long context = handle.enter();
        try {
            return IbverbsCompletionChannel.create(this, context);
        } finally {
            handle.exit();
        }
    }

    @Override
    public CompletionQueue createCompletionQueue(int entries, @Nullable CompletionChannel channel) {
        long context = handle.enter();
        try {
            return IbverbsCompletionQueue.create(this, context, entries, (IbverbsCompletionChannel) channel);
        } finally {
            handle.exit();
        }
    }

    @Override
    public @Nullable AsyncEvent awaitAsyncEvent(Duration timeout) {
        if (!handle.tryEnter()) {
            return null;
        }
        try (Scratch scratch = new Scratch(Layout.EVENT_SIZE)) {
            return AsyncEvents.await(this, handle, wake, timeout, scratch);
        } finally {
            handle.exit();
        }
    }

    @Override
    public String bindThread() {
        BitSet near = NearProcessors.ofSystem(deviceName);
        return NearProcessors.bind(near) ? NearProcessors.format(near) : "";
    }

    @Override
    void wakeWaiters() {
        NativeVerbs.signalWake(wake);
    }
}
