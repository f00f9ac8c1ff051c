package io.tensorfabric.transfer;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** Waits for the futures of transfers. */
final class Waiting {

    private Waiting() {}

    /**
     * The result, or the failure with the stack of the caller.
     *
     * @param subject what is waited for, to begin a message with
     */
    static <T> T await(CompletableFuture<T> future, String peer, String subject) {
        try {
            return future.get();
        } catch (InterruptedException e) {
            future.cancel(true);
            Thread.currentThread().interrupt();
            String message =
                    subject + " with peer '" + peer + "' was cancelled: the thread that waited was interrupted";
            throw new TransferCancelledException(peer, message, e);
        } catch (ExecutionException e) {
            if (TransferExceptionTranslator.unwrap(e) instanceof TransferException failure) {
                throw TransferExceptionTranslator.anew(failure, String.valueOf(failure.getMessage()));
            }
            throw new IllegalStateException(subject + " with peer '" + peer + "' failed", e.getCause());
        }
    }
}
