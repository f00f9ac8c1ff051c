package io.tensorfabric.observation;

import io.micrometer.observation.Observation;

/** What is known of a pull from, or a put into, a tensor that a peer published. Not thread-safe. */
public final class RegionObservationContext extends Observation.Context {

    private final String operation;

    private final String peer;

    private final String tensor;

    /**
     * A transfer that begins.
     *
     * @param operation {@code pull} or {@code put}
     * @param peer name of the peer
     * @param tensor name of the published tensor
     */
    public RegionObservationContext(String operation, String peer, String tensor) {
        this.operation = operation;
        this.peer = peer;
        this.tensor = tensor;
    }

    /** {@code pull} or {@code put}. */
    public String operation() {
        return operation;
    }

    /** Name of the peer. */
    public String peer() {
        return peer;
    }

    /** Name of the published tensor. */
    public String tensor() {
        return tensor;
    }
}
