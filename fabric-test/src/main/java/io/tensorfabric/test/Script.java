package io.tensorfabric.test;

import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.transfer.ReceivedTensor;
import io.tensorfabric.transfer.TensorListenerRegistry;
import io.tensorfabric.transfer.TensorListenerRegistry.Registration;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a test peer does with tensors. Thread-safe. */
final class Script {

    private final List<CapturedTensor> received = new ArrayList<>();

    private final ArrayDeque<Exception> failures = new ArrayDeque<>();

    private Duration delay = Duration.ZERO;

    /** How many were waited for. */
    private int taken;

    private @Nullable Registration registration;

    synchronized void listen(TensorListenerRegistry registry) {
        registration = registry.register("test-peer", "*", "*", this::receive);
    }

    private void receive(ReceivedTensor tensor) throws Exception {
        try (tensor) {
            Duration wait;
            Exception failure;
            synchronized (this) {
                wait = delay;
                failure = failures.poll();
            }
            if (!wait.isZero()) {
                Thread.sleep(wait.toMillis());
            }
            if (failure != null) {
                throw failure;
            }
            Tensor arrived = tensor.tensor();
            Tensor copy = Tensor.copyOf(arrived.name(), arrived.dataType(), arrived.shape(), arrived.asByteBuffer());
            add(new CapturedTensor(copy, tensor.peer(), tensor.headers()));
        }
    }

    private synchronized void add(CapturedTensor captured) {
        received.add(captured);
        notifyAll();
    }

    synchronized List<CapturedTensor> received() {
        return List.copyOf(received);
    }

    synchronized CapturedTensor await(String peer, Duration timeout) {
        long end = System.nanoTime() + timeout.toNanos();
        try {
            while (received.size() <= taken) {
                long left = Duration.ofNanos(end - System.nanoTime()).toMillis();
                if (left <= 0) {
                    throw new AssertionError("No tensor came to test peer '" + peer + "' within " + timeout
                            + "; before, "
                            + received.stream().map(CapturedTensor::name).toList() + " came");
                }
                wait(left);
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new AssertionError("The test was interrupted while it waited for test peer '" + peer + "'", ex);
        }
        return received.get(taken++);
    }

    synchronized void delay(Duration value) {
        if (value.isNegative()) {
            throw new IllegalArgumentException("A delay cannot be negative: " + value);
        }
        delay = value;
    }

    synchronized void failNext(Exception failure) {
        failures.add(failure);
    }

    synchronized void pause(boolean value) {
        if (registration == null) {
            return;
        }
        if (value) {
            registration.pause();
        } else {
            registration.resume();
        }
    }

    synchronized void reset() {
        delay = Duration.ZERO;
        failures.clear();
        taken = 0;
        received.forEach(captured -> captured.tensor().close());
        received.clear();
        pause(false);
    }
}
