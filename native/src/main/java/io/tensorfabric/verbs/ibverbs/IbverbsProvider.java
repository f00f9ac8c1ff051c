package io.tensorfabric.verbs.ibverbs;

import io.tensorfabric.verbs.VerbsDevice;
import io.tensorfabric.verbs.VerbsProvider;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Devices of libibverbs, reached through the native verbs shim. This build contains no shim, so the provider reports
 * itself unavailable and says so; {@link #devices()} throws.
 *
 * <p>Public for {@link java.util.ServiceLoader} only. Thread-safe.
 */
public final class IbverbsProvider implements VerbsProvider {

    private static final String NO_SHIM = "This build contains no native verbs shim, so no RDMA card can be opened:"
            + " use the software device (provider \"soft\") or a build of fabric-native for this platform.";

    /** Called by the service loader; touches no library. */
    public IbverbsProvider() {}

    @Override
    public String name() {
        return "ibverbs";
    }

    @Override
    public boolean isAvailable() {
        return false;
    }

    @Override
    public @Nullable Throwable unavailabilityCause() {
        return new UnsatisfiedLinkError(NO_SHIM);
    }

    @Override
    public List<VerbsDevice> devices() {
        throw new IllegalStateException(NO_SHIM);
    }
}
