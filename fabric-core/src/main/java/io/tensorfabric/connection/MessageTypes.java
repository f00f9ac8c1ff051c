package io.tensorfabric.connection;

/** Types of data-path messages; the second byte of each message. Part of the protocol: never renumber. */
public final class MessageTypes {

    /** Proves the path and opens the peer's end after the probe. */
    public static final int HELLO = 0x01;

    /** Answers {@link #HELLO}. */
    public static final int HELLO_ACK = 0x02;

    /** Shows life. */
    public static final int HEARTBEAT = 0x03;

    /** Returns credits when nothing else is there to carry them. */
    public static final int CREDIT = 0x04;

    /** Announces an orderly close. */
    public static final int GOODBYE = 0x05;

    /** Types from here on belong to the transfer layer. */
    public static final int FIRST_TRANSFER_TYPE = 0x40;

    private MessageTypes() {}
}
