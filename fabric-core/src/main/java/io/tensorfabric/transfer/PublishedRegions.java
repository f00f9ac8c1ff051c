package io.tensorfabric.transfer;

import io.tensorfabric.memory.MemoryKind;
import io.tensorfabric.tensor.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What this node publishes, by name. Thread-safe. */
final class PublishedRegions {

    private static final Logger log = LoggerFactory.getLogger(PublishedRegions.class);

    private final Engine engine;

    private final Map<String, PublishedRegion> regions = new ConcurrentHashMap<>();

    PublishedRegions(Engine engine) {
        this.engine = engine;
    }

    PublishedTensor publish(Tensor tensor, PublishOptions options) {
        String name = tensor.name();
        if (tensor.kind().type() != MemoryKind.Type.HOST) {
            throw new InvalidTransferException(
                    "",
                    "Tensor '" + name + "' cannot be published: it lies in " + tensor.kind()
                            + ", and only host memory can. Publish a copy in host memory, or push it",
                    null);
        }
        if (tensor.isReadOnly() && !options.writers().isEmpty()) {
            throw new InvalidTransferException(
                    "", "Tensor '" + name + "' cannot be published for writers: its memory is read-only", null);
        }
        if (engine.isClosing()) {
            throw new TransfersClosedException(
                    "", "Tensor '" + name + "' cannot be published: this node is shutting down", null);
        }
        long address;
        try {
            address = tensor.hold();
        } catch (IllegalStateException e) {
            throw new InvalidTransferException("", "Tensor '" + name + "' cannot be published: it is closed", e);
        }
        PublishedRegion region = new PublishedRegion(
                this,
                tensor,
                options,
                new RegionMemory(engine.memory(), address, tensor.byteLength()),
                new PutQueue(engine, tensor.descriptor(), options.onPut()),
                engine.options().deviceGrace());
        if (regions.putIfAbsent(name, region) != null) {
            tensor.release();
            throw new InvalidTransferException(
                    "", "A tensor '" + name + "' is published already: close that one first", null);
        }
        if (engine.isClosing()) {
            // Its end may have looked before.
            region.close(Duration.ZERO);
        }
        return region;
    }

    @Nullable PublishedRegion find(String name) {
        return regions.get(name);
    }

    List<PublishedTensor> all() {
        return new ArrayList<>(regions.values());
    }

    void remove(PublishedRegion region) {
        regions.remove(region.name(), region);
    }

    /** Whether what the peer of a link has put is not yet answered. */
    boolean holdsPutsOf(PeerLink link) {
        return regions.values().stream().anyMatch(region -> region.puts().holdsSomeOf(link));
    }

    /** Ends all; peers that use them get the given time, all together. */
    void close(Duration patience) {
        long end = System.nanoTime() + patience.toNanos();
        for (PublishedRegion region : regions.values()) {
            try {
                region.close(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
            } catch (IllegalStateException e) {
                log.debug("A published tensor could not be taken back, as its own line says", e);
            }
        }
    }
}
