package io.tensorfabric.transfer;

import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.tensor.TensorDescriptor;
import io.tensorfabric.transfer.RegionUse.Operation;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Begins pushes, pulls and puts: what happens on the thread of their caller. Thread-safe. */
final class TransferStart {

    private static final String CLOSED = "it is closed";

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

    /** Begins pushes whose listeners hear of all or of none; nothing begins if one of them cannot. */
    CompletableFuture<List<TransferReceipt>> group(String peer, List<Tensor> tensors, PushOptions options) {
        Objects.requireNonNull(peer, "peer");
        if (tensors.size() > TensorGroup.MAX_SIZE) {
            String message = tensors.size() + " tensors cannot be pushed to peer '" + peer + "' at once: at most "
                    + TensorGroup.MAX_SIZE + " can";
            return CompletableFuture.failedFuture(new InvalidTransferException(peer, message, null));
        }
        for (Tensor tensor : tensors) {
            String problem = tensor.isClosed() ? CLOSED : PushChecks.problem(engine, tensor, options, null);
            if (problem != null) {
                return CompletableFuture.failedFuture(invalid(peer, tensor, null, problem));
            }
        }
        // Who hears PLACED is done with a push whose listener may yet wait for the others.
        PushOptions known =
                options.receipt() == ReceiptLevel.PLACED ? options.withReceipt(ReceiptLevel.ACCEPTED) : options;
        OutboundGroup group = tensors.size() < 2 ? null : new OutboundGroup(lastId.incrementAndGet(), tensors);
        return PushGroup.start(peer, tensors, tensor -> start(peer, tensor, known, null, group));
    }

    CompletableFuture<TransferReceipt> start(
            String peer, Tensor tensor, PushOptions options, @Nullable RegionUse region) {
        Objects.requireNonNull(peer, "peer");
        Objects.requireNonNull(options, "options");
        String problem = PushChecks.problem(engine, tensor, options, region);
        return problem != null
                ? CompletableFuture.failedFuture(invalid(peer, tensor, region, problem))
                : start(peer, tensor, options, region, null);
    }

    private CompletableFuture<TransferReceipt> start(
            String peer,
            Tensor tensor,
            PushOptions options,
            @Nullable RegionUse region,
            @Nullable OutboundGroup group) {
        PeerChannel channel = engine.channel(peer);
        long address;
        try {
            address = tensor.hold();
        } catch (IllegalStateException e) {
            return notBegun(channel, group, invalid(peer, tensor, region, CLOSED));
        }
        Duration deadline = options.deadline() != null
                ? options.deadline()
                : engine.options().defaultDeadline();
        Push push = new Push(engine, channel, lastId.incrementAndGet(), tensor, address, options, deadline, region);
        push.group = group;
        PushProgress progress = options.progress();
        if (progress != null) {
            push.source.tell(new ProgressTeller(engine, push, progress));
        }
        String problem = PushChecks.mark(engine, push);
        if (problem != null) {
            tensor.release();
            return notBegun(channel, group, invalid(peer, tensor, region, problem));
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

    private static CompletableFuture<TransferReceipt> notBegun(
            PeerChannel channel, @Nullable OutboundGroup group, TransferException why) {
        if (group != null) {
            channel.missed(group);
        }
        return CompletableFuture.failedFuture(why);
    }

    private static TransferException invalid(String peer, Tensor tensor, @Nullable RegionUse region, String why) {
        String verb = region == null ? "pushed to" : region.operation().verb();
        String name = region == null ? tensor.name() : region.name();
        String message = "Tensor '" + name + "' cannot be " + verb + " peer '" + peer + "': " + why;
        return new InvalidTransferException(peer, message, null);
    }
}
