package io.tensorfabric.verbs.ibverbs;

import io.tensorfabric.verbs.VerbsDevice;
import io.tensorfabric.verbs.VerbsProvider;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Devices of libibverbs, reached through the native verbs shim. Unavailable, with the reason and a remedy, when the shim
 * or libibverbs cannot be loaded, the kernel has no RDMA, there is no device, or its files cannot be opened.
 *
 * <p>Public for {@link java.util.ServiceLoader} only. Thread-safe.
 */
public final class IbverbsProvider implements VerbsProvider {

    private @Nullable Probe probe;

    /** Called by the service loader; touches no library. */
    public IbverbsProvider() {}

    @Override
    public String name() {
        return "ibverbs";
    }

    @Override
    public boolean isAvailable() {
        return unavailabilityCause() == null;
    }

    @Override
    public synchronized @Nullable Throwable unavailabilityCause() {
        if (probe == null) {
            probe = new Probe(Devices.unavailability());
        }
        return probe.cause();
    }

    @Override
    public List<VerbsDevice> devices() {
        Throwable cause = unavailabilityCause();
        if (cause != null) {
            throw new IllegalStateException(cause.getMessage(), cause);
        }
        return Devices.names().stream()
                .map(name -> (VerbsDevice) new IbverbsDevice(name))
                .toList();
    }

    /** The outcome of the one look at the machine. */
    private record Probe(@Nullable Throwable cause) {}
}
