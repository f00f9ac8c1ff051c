package io.tensorfabric.transfer;

import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.tensor.TensorDescriptor;
import io.tensorfabric.transfer.RegionUse.Operation;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Begins pushes, pulls and puts: what happens on the thread of their caller. Thread-safe. */
final class TransferStart {

    private final Engine engine;

    private final AtomicLong lastId = new AtomicLong();

    TransferStart(Engine engine) {
        this.engine = engine;
    }

    CompletableFuture<TransferReceipt> region(
            Operation operation, String peer, String name, Tensor tensor, RegionOptions options) {
        Objects.requireNonNull(name, "name");
        RegionUse use = new RegionUse(operation, name, options.offset());
        return start(peer, tensor, options.toPush(operation != Operation.PUT), use);
    }

    /** Finds out what a published tensor is, then reads it into a tensor that is made for it. */
    CompletableFuture<Tensor> pullNew(String peer, String name, RegionOptions options) {
        if (options.offset() != null) {
            return CompletableFuture.failedFuture(new InvalidTransferException(
                    peer,
                    "A part of published tensor '" + name + "' of peer '" + peer
                            + "' cannot be pulled without a tensor for it: give one, which says how long it is",
                    null));
        }
        return new NewPull(this, peer, name, options).start();
    }

    /** Begins to find out what a published tensor is; the future tells nothing, the use does. */
    CompletableFuture<TransferReceipt> look(String peer, RegionUse use, RegionOptions options) {
        Tensor nothing = Tensor.of(new TensorDescriptor(use.name(), DataType.U8, Shape.of(0)), 0, null);
        PushOptions plain = new RegionOptions(
                        options.deadline(), null, options.receipt(), false, null, null, options.priority())
                .toPush(true);
        return start(peer, nothing, plain, use);
    }

    CompletableFuture<TransferReceipt> start(
            String peer, Tensor tensor, PushOptions options, @Nullable RegionUse region) {
        Objects.requireNonNull(peer, "peer");
        Objects.requireNonNull(options, "options");
        String problem = PushChecks.problem(engine, tensor, options, region);
        if (problem != null) {
            return invalid(peer, tensor, region, problem);
        }
        long address;
        try {
            address = tensor.hold();
        } catch (IllegalStateException e) {
            return invalid(peer, tensor, region, "it is closed");
        }
        Duration deadline = options.deadline() != null
                ? options.deadline()
                : engine.options().defaultDeadline();
        PeerChannel channel = engine.channel(peer);
        Push push = new Push(engine, channel, lastId.incrementAndGet(), tensor, address, options, deadline, region);
        PushProgress progress = options.progress();
        if (progress != null) {
            push.source.tell(new ProgressTeller(engine, push, progress));
        }
        problem = PushChecks.mark(engine, push);
        if (problem != null) {
            tensor.release();
            return invalid(peer, tensor, region, problem);
        }
        engine.pushes().add(push);
        if (engine.isClosing()) {
            push.failOwned(PushFailures.shuttingDown(push));
            return push;
        }
        push.arm();
        channel.submit(push);
        return push;
    }

    private static CompletableFuture<TransferReceipt> invalid(
            String peer, Tensor tensor, @Nullable RegionUse region, String why) {
        String verb = region == null ? "pushed to" : region.operation().verb();
        String name = region == null ? tensor.name() : region.name();
        String message = "Tensor '" + name + "' cannot be " + verb + " peer '" + peer + "': " + why;
        return CompletableFuture.failedFuture(new InvalidTransferException(peer, message, null));
    }
}
