package io.tensorfabric.autoconfigure;

import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Stops before the listeners do: connections that peers ask for, and tensors that arrive, are refused then with the reason
 * that this node shuts down, and tensors that are here already still reach their listeners.
 */
final class FabricShutdownGate implements SmartLifecycle {

    /** Above listeners, which are taken back next. */
    static final int PHASE = Integer.MAX_VALUE - 50;

    private static final Logger logger = LoggerFactory.getLogger(FabricShutdownGate.class);

    private final FabricLifecycle lifecycle;

    private final Duration timeout;

    private volatile boolean running;

    /** @param timeout how long the listeners may take */
    FabricShutdownGate(FabricLifecycle lifecycle, Duration timeout) {
        this.lifecycle = lifecycle;
        this.timeout = timeout;
    }

    @Override
    public void start() {
        running = true;
    }

    @Override
    public void stop() {
        running = false;
        FabricNode node = lifecycle.node();
        if (node == null) {
            return;
        }
        node.connections().quiesce();
        try {
            if (!node.transfers().quiesce(timeout)) {
                logger.warn("Tensor listeners still run after {}; their tensors are refused next", timeout);
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
