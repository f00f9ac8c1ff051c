package io.tensorfabric.connection;

import io.tensorfabric.verbs.AsyncEventType;
import io.tensorfabric.verbs.VerbsResource;

/** Learns of events of a {@link FabricDevice}; called on its event thread or a poller thread, must not block. */
interface DeviceObserver {

    /** The port in use has left ACTIVE. */
    void portDown();

    /** The port in use carries traffic again. */
    void portActive();

    /** The GID table of the port in use has changed. */
    void gidsChanged();

    /** A queue pair or shared receive queue has failed. */
    void elementFailed(VerbsResource element, AsyncEventType type);

    /** The device, or a completion queue of it, has failed: nothing on it works any more. */
    void deviceFailed(String reason);
}
