package io.tensorfabric.autoconfigure.negotiation;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receives a body without holding a thread, within a size and a time that no trickle of bytes extends, and then dispatches
 * the request back to the servlet.
 */
final class BodyReader implements ReadListener, AsyncListener {

    private static final Logger logger = LoggerFactory.getLogger(BodyReader.class);

    private final AsyncContext context;

    private final ServletInputStream input;

    private final long limit;

    private final BodyBudget budget;

    private final Outcome outcome;

    private final ByteArrayOutputStream received = new ByteArrayOutputStream();

    private final byte[] buffer = new byte[4096];

    private final AtomicBoolean ended = new AtomicBoolean();

    private final AtomicBoolean returned = new AtomicBoolean();

    /** What becomes of the request. */
    interface Outcome {

        /** The body is complete: goes on with it. */
        void received(AsyncContext context, byte[] body);

        /** The body is refused: answers. */
        void refused(AsyncContext context, NegotiationProblem problem);
    }

    BodyReader(AsyncContext context, ServletInputStream input, long limit, BodyBudget budget, Outcome outcome) {
        this.context = context;
        this.input = input;
        this.limit = limit;
        this.budget = budget;
        this.outcome = outcome;
    }

    @Override
    public void onDataAvailable() throws IOException {
        while (!ended.get() && input.isReady() && !input.isFinished()) {
            int count = input.read(buffer);
            if (count > 0) {
                keep(count);
            }
        }
    }

    private void keep(int count) {
        if (received.size() + count > limit) {
            refuse(NegotiationProblem.tooLarge(limit));
        } else if (!budget.take(count)) {
            refuse(new NegotiationProblem(
                    503, "BUSY", "Too many bodies are being received at once.", Map.of("Retry-After", "1")));
        } else {
            received.write(buffer, 0, count);
        }
    }

    @Override
    public void onAllDataRead() {
        if (ended.compareAndSet(false, true)) {
            outcome.received(context, received.toByteArray());
        }
    }

    @Override
    public void onError(Throwable failure) {
        logger.debug("A negotiation body broke off: {}", failure.toString());
        refuse(NegotiationProblem.malformed("The body broke off."));
    }

    @Override
    public void onTimeout(AsyncEvent event) {
        refuse(new NegotiationProblem(408, "TOO_SLOW", "The body took too long to arrive."));
    }

    @Override
    public void onComplete(AsyncEvent event) {
        giveBack();
    }

    @Override
    public void onError(AsyncEvent event) {
        giveBack();
    }

    @Override
    public void onStartAsync(AsyncEvent event) {
        // Started once only.
    }

    private void refuse(NegotiationProblem problem) {
        if (ended.compareAndSet(false, true)) {
            outcome.refused(context, problem);
        }
    }

    private void giveBack() {
        if (returned.compareAndSet(false, true)) {
            budget.give(received.size());
        }
    }
}
