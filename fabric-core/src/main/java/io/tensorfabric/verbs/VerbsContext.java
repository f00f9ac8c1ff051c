package io.tensorfabric.verbs;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An open device. Thread-safe, as are all objects made from it unless they say otherwise. */
public interface VerbsContext extends VerbsResource {

    /** Name of the device, see {@link VerbsDevice#name()}. */
    String deviceName();

    /** Limits and identity of the device; see {@code ibv_query_device(3)}. */
    DeviceAttributes queryDevice();

    /**
     * State of a port; see {@code ibv_query_port(3)}.
     *
     * @param port number from 1 to {@link DeviceAttributes#portCount()}
     */
    PortAttributes queryPort(int port);

    /** The usable entries of a port's GID table, in index order: zero and unreadable entries are left out. */
    List<GidEntry> queryGidTable(int port);

    /** Allocates a protection domain; see {@code ibv_alloc_pd(3)}. */
    ProtectionDomain allocateProtectionDomain();

    /** Creates a completion channel; see {@code ibv_create_comp_channel(3)}. */
    CompletionChannel createCompletionChannel();

    /**
     * Creates a completion queue; see {@code ibv_create_cq(3)}.
     *
     * @param entries least number of completions that it holds; the device may round up
     * @param channel where its events go, or {@code null} for polling only
     */
    CompletionQueue createCompletionQueue(int entries, @Nullable CompletionChannel channel);

    /**
     * Waits for the next asynchronous event and acknowledges it; see {@code ibv_get_async_event(3)}.
     *
     * @return the event, or {@code null} when none came within the time or the context was closed
     */
    @Nullable AsyncEvent awaitAsyncEvent(Duration timeout);

    /**
     * Binds the calling thread to the processors near the device, those of its NUMA node, as far as the thread may run on
     * them now; see {@code sched_setaffinity(2)}.
     *
     * @return these processors as the kernel lists them, such as {@code 0-15,32-47}; empty when the device is near none or
     *     none of them is allowed, and then nothing has changed
     */
    default String bindThread() {
        return "";
    }
}
