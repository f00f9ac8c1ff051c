package io.tensorfabric.memory;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A pool could not be closed since buffers of it are still leased. Its memory stays registered and allocated; it goes
 * when the last lease is closed.
 */
public final class PoolBusyException extends IllegalStateException {

    private final List<LeaseHolder> holders;

    PoolBusyException(String message, List<LeaseHolder> holders, @Nullable Throwable cause) {
        super(message, cause);
        this.holders = List.copyOf(holders);
    }

    /** Who holds the buffers, largest first. */
    public List<LeaseHolder> holders() {
        return holders;
    }
}
