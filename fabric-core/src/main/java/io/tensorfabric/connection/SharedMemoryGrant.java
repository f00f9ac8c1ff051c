package io.tensorfabric.connection;

/**
 * How a landing zone is opened by a peer on the same host. Secret as keys are: travels nowhere else and is never printed.
 *
 * @param handle the CUDA IPC handle, Base64
 * @param proof what the zone's first bytes are, Base64, so that the peer knows that it opened the right memory
 * @param token names the zone in later requests
 */
public record SharedMemoryGrant(String handle, String proof, long token) {

    /** Leaves out everything. */
    @Override
    public String toString() {
        return "SharedMemoryGrant[]";
    }
}
