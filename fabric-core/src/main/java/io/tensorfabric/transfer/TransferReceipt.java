package io.tensorfabric.transfer;

import java.time.Duration;

/**
 * Proof of a push.
 *
 * @param transferId number of the transfer at the sender, unique for its incarnation
 * @param peer name of the peer
 * @param tensor name of the tensor
 * @param bytes payload bytes
 * @param level how far it came
 * @param elapsed from the call of push to this receipt
 * @param attempts tries that it took, at least 1
 * @param path how the bytes went from memory to memory
 */
public record TransferReceipt(
        long transferId,
        String peer,
        String tensor,
        long bytes,
        ReceiptLevel level,
        Duration elapsed,
        int attempts,
        TransferPath path) {}
