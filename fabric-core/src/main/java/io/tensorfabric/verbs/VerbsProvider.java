package io.tensorfabric.verbs;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A source of verbs devices, found by {@link java.util.ServiceLoader}. Implementations must be cheap to construct: no
 * device or library is touched before {@link #isAvailable()}.
 *
 * <p>Thread-safe.
 */
public interface VerbsProvider {

    /** Stable name of the provider, such as {@code ibverbs} or {@code soft}. */
    String name();

    /** Whether {@link #devices()} can be called; the answer comes from a real probe, made once. */
    boolean isAvailable();

    /** Why the provider cannot be used, with a remedy; {@code null} when it is available. */
    @Nullable Throwable unavailabilityCause();

    /**
     * Lists the devices of this machine, possibly none.
     *
     * @throws VerbsException if the provider is available but listing failed
     * @throws IllegalStateException if the provider is not available
     */
    List<VerbsDevice> devices();
}
