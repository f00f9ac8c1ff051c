package io.tensorfabric.transfer;

import io.tensorfabric.connection.MessageTypes;

/** Types and sizes of the data-path messages of transfers; {@code docs/protocol.md} describes every field. */
final class TransferMessages {

    /** Header of a tensor whose payload was written before on the same lane. */
    static final int TENSOR = MessageTypes.FIRST_TRANSFER_TYPE;

    /** One or more answers of a receiver, and notices about zones. */
    static final int ANSWERS = MessageTypes.FIRST_TRANSFER_TYPE + 1;

    /** Bytes were written into a published tensor before, on the same lane. */
    static final int PUT = MessageTypes.FIRST_TRANSFER_TYPE + 2;

    /** Most headers of a tensor. */
    static final int MAX_HEADERS = 64;

    /** Most bytes of all keys and values of headers together, by protocol. */
    static final int MAX_HEADER_BYTES = 2048;

    private TransferMessages() {}
}
