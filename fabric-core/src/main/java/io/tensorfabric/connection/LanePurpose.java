package io.tensorfabric.connection;

/** What a lane is for. */
public enum LanePurpose {
    /** Messages and small transfers: short queues, low latency. Always lane 0. */
    CONTROL,
    /** Large transfers: deep queues. */
    BULK
}
