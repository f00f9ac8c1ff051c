package io.tensorfabric.verbs;

/** Flags of a send work request, the bits of {@code enum ibv_send_flags}; plain ints for the hot path. */
public final class SendFlag {

    /** Waits for earlier READs before it starts. */
    public static final int FENCE = 1;

    /** Completes visibly. */
    public static final int SIGNALED = 1 << 1;

    /** Raises a solicited event at the receiver. */
    public static final int SOLICITED = 1 << 2;

    /** Copies the data at post time: buffers are free at once, and lkeys are not looked at. */
    public static final int INLINE = 1 << 3;

    private SendFlag() {}
}
