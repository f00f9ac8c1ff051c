package io.tensorfabric.listener;

import io.tensorfabric.transfer.Acknowledgment;
import io.tensorfabric.transfer.ReceivedTensor;
import io.tensorfabric.transfer.TensorRefusedException;
import org.jspecify.annotations.Nullable;

/** A call of a handler: closes, acknowledges and fails by its mode, and asks the error handler. Immutable. */
final class TensorCall {

    private final TensorHandler handler;

    private final AckMode mode;

    private final @Nullable TensorListenerErrorHandler errorHandler;

    TensorCall(TensorHandler handler, AckMode mode, @Nullable TensorListenerErrorHandler errorHandler) {
        this.handler = handler;
        this.mode = mode;
        this.errorHandler = errorHandler;
    }

    /** On the thread that brought the tensor: what is thrown is the answer. */
    void direct(ReceivedTensor tensor) throws Exception {
        if (mode == AckMode.AUTO) {
            automatic(tensor);
        } else {
            manual(tensor, tensor.defer());
        }
    }

    /** On a thread of the listener: the answer was put off. */
    void apart(ReceivedTensor tensor, Acknowledgment answer) {
        try {
            if (mode == AckMode.AUTO) {
                automatic(tensor);
                answer.acknowledge();
            } else {
                manual(tensor, answer);
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            answer.fail(ex);
        } catch (Throwable ex) {
            // Errors too: the sender waits for an answer, and the thread goes on with other tensors.
            answer.fail(ex);
        }
    }

    private void automatic(ReceivedTensor tensor) throws Exception {
        try (tensor) {
            call(tensor, AutomaticAnswer.INSTANCE);
        }
    }

    private void manual(ReceivedTensor tensor, Acknowledgment answer) throws Exception {
        ClosingAnswer closing = new ClosingAnswer(tensor, answer);
        if (!call(tensor, closing)) {
            closing.acknowledge();
        }
    }

    /** Whether the handler returned; if not, the error handler did. */
    private boolean call(ReceivedTensor tensor, Acknowledgment answer) throws Exception {
        try {
            handler.handle(tensor, answer);
            return true;
        } catch (TensorRefusedException | InterruptedException ex) {
            throw ex;
        } catch (Exception ex) {
            TensorListenerErrorHandler decider = errorHandler;
            if (decider == null) {
                throw ex;
            }
            decider.handle(ex, tensor);
            return false;
        }
    }

    /** Also closes the tensor, first: its room goes back before the sender hears that it is done. */
    private record ClosingAnswer(ReceivedTensor tensor, Acknowledgment answer) implements Acknowledgment {

        @Override
        public void acknowledge() {
            if (!answer.isEnded()) {
                tensor.close();
                answer.acknowledge();
            }
        }

        @Override
        public void fail(Throwable reason) {
            answer.fail(reason);
        }

        @Override
        public boolean isEnded() {
            return answer.isEnded();
        }
    }

    /** There is nothing to say for a handler that says it by returning. */
    private enum AutomaticAnswer implements Acknowledgment {
        INSTANCE;

        @Override
        public void acknowledge() {
            throw notManual();
        }

        @Override
        public void fail(Throwable reason) {
            throw notManual();
        }

        @Override
        public boolean isEnded() {
            return false;
        }

        private static IllegalStateException notManual() {
            return new IllegalStateException("This listener acknowledges by returning and fails by throwing; for an"
                    + " acknowledgment of its own it needs AckMode.MANUAL");
        }
    }
}
