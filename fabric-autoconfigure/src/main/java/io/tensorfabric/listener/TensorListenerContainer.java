package io.tensorfabric.listener;

import java.time.Duration;
import org.springframework.context.Lifecycle;

/**
 * Runs one listener. A stopped one is not there for senders: their tensors go to the next listener that fits, or are rejected
 * because there is none. A paused one is: its tensors are refused for the time being, and senders hear of backpressure.
 * Thread-safe.
 */
public interface TensorListenerContainer extends Lifecycle {

    /** Unique name of the listener. */
    String id();

    /** What the listener wants. */
    TensorListenerEndpoint endpoint();

    /** Whether it starts with the application. */
    boolean isAutoStartup();

    /** Begins to take tensors, unpaused. Does nothing when it is running. */
    @Override
    void start();

    /**
     * Takes no more tensors, and returns at once: calls that run go on, and so do tensors that wait for its own threads. A
     * paused one is not paused any more. Does nothing when it is stopped.
     */
    @Override
    void stop();

    /**
     * Waits for calls on threads of its own to end; then interrupts those that run, and refuses what still waits. To be called
     * after {@link #stop()}; does nothing for a listener on the shared threads, for which the end of the fabric waits.
     *
     * @param timeout how long to wait
     */
    void awaitEnd(Duration timeout);

    /** Refuses tensors until {@link #resume()} or {@link #stop()}; those accepted before still come. */
    void pause();

    /** Ends {@link #pause()}. */
    void resume();

    /** Whether it was paused. */
    boolean isPaused();
}
