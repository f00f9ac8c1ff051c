package io.tensorfabric.connection;

import io.tensorfabric.verbs.WorkCompletionStatus;

/** Learns of the end of transmissions. Called on a poller thread: must not block, and not call back into closing. */
@FunctionalInterface
public interface TransmissionListener {

    /**
     * The device is done with all buffers of a transmission; called exactly once for each.
     *
     * @param lane where it was submitted
     * @param token as given to {@link Transmission#submit}
     * @param status {@link WorkCompletionStatus#SUCCESS}: acknowledged by the peer's device; else the first error of it
     * @param vendorError the vendor's error number
     */
    void completed(Lane lane, long token, WorkCompletionStatus status, int vendorError);
}
