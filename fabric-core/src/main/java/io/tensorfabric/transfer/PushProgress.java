package io.tensorfabric.transfer;

/** Learns how far a push is. */
@FunctionalInterface
public interface PushProgress {

    /**
     * More bytes lie in the peer's memory. Called on a thread of the fabric, of which there are few: must not block. Calls
     * for one push come one at a time and never go back, also when a push is tried again; steps that follow closely are told
     * as one, and the end of the push may come before its last step, which then is not told. Exceptions are logged.
     *
     * @param placedBytes payload bytes that the peer's device has acknowledged
     * @param totalBytes payload bytes in all
     */
    void placed(long placedBytes, long totalBytes);
}
