package io.tensorfabric.diagnostics;

import io.tensorfabric.connection.Connection;
import io.tensorfabric.connection.FabricDevice;
import io.tensorfabric.connection.QueuePairStatus;
import io.tensorfabric.diagnostics.PreflightStep.Outcome;
import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.memory.cuda.CopyNotEndedException;
import io.tensorfabric.memory.cuda.GpuMemory;
import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.tensor.TensorDescriptor;
import io.tensorfabric.topology.PortCounter;
import io.tensorfabric.topology.PortCounters;
import io.tensorfabric.transfer.PushOptions;
import io.tensorfabric.transfer.ReceiptLevel;
import io.tensorfabric.transfer.ReservedNames;
import io.tensorfabric.transfer.TransferReceipt;
import io.tensorfabric.verbs.QueuePairState;
import io.tensorfabric.verbs.VerbsException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Transfers to a peer, each asking for more than the one before. Used once, by one thread. */
final class PreflightLadder {

    private static final int KIB = 1024;

    private static final int MIB = 1024 * KIB;

    private static final int AT_ONCE = 8;

    /** Longest time of one step: what takes longer is broken, and others want to be tried. */
    private static final Duration STEP = Duration.ofSeconds(10);

    /** Time over what a push itself may take, for its future to say so. */
    private static final Duration GRACE = Duration.ofSeconds(1);

    private final PreflightSubject subject;

    private final String peer;

    private final PortCounters counters;

    private final long end;

    private final List<PreflightStep> steps = new ArrayList<>();

    private @Nullable String broken;

    private @Nullable Connection connection;

    private int number;

    /** @param end of the time, as {@link System#nanoTime()} */
    PreflightLadder(PreflightSubject subject, String peer, PortCounters counters, long end) {
        this.subject = subject;
        this.peer = peer;
        this.counters = counters;
        this.end = end;
    }

    /** What a step does. */
    private interface Rung {
        PreflightStep climb(String name) throws ExecutionException, InterruptedException, TimeoutException;
    }

    List<PreflightStep> run() {
        Map<PortCounter, Long> before = counters.readAll();
        climb("connect", this::connect);
        climb("mtu of both ends", this::mtu);
        climb("1 byte", name -> push(name, 1, 1));
        climb("4 KiB", name -> push(name, 4 * KIB, 1));
        climb("across the MTU", name -> push(name, connected().mtu() + 1, 1));
        climb("1 MiB", name -> push(name, MIB, 1));
        climb(AT_ONCE + " at once", name -> push(name, 256 * KIB, AT_ONCE));
        climb("GPU direct", this::gpu);
        steps.add(counters(before));
        return steps;
    }

    private void climb(String name, Rung rung) {
        if (broken != null) {
            steps.add(PreflightStep.of(name, Outcome.SKIP, "\"" + broken + "\" failed"));
            return;
        }
        long begin = System.nanoTime();
        PreflightStep step = tried(name, rung).took(System.nanoTime() - begin);
        steps.add(step);
        if (step.outcome() == Outcome.FAIL) {
            broken = name;
        }
    }

    private PreflightStep tried(String name, Rung rung) {
        if (left().isZero()) {
            return PreflightStep.of(name, Outcome.FAIL, "the time for the whole preflight was over before it");
        }
        try {
            return rung.climb(name);
        } catch (ExecutionException e) {
            return failed(name, e.getCause() == null ? e : e.getCause());
        } catch (TimeoutException e) {
            return PreflightStep.of(
                    name, Outcome.FAIL, "nothing was heard in " + STEP.toSeconds() + " s", Symptom.PATH_BROKEN);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return PreflightStep.of(name, Outcome.FAIL, "it was interrupted");
        } catch (RuntimeException e) {
            return failed(name, e);
        }
    }

    private static PreflightStep failed(String name, Throwable problem) {
        Diagnosis diagnosis = Diagnosis.of(problem);
        return new PreflightStep(name, Outcome.FAIL, diagnosis.detail(), diagnosis.remedy(), 0);
    }

    private Duration left() {
        Duration rest = Duration.ofNanos(Math.max(0, end - System.nanoTime()));
        return rest.compareTo(STEP) < 0 ? rest : STEP;
    }

    private Connection connected() {
        Connection present = connection;
        if (present == null) {
            throw new IllegalStateException("There is no connection to " + peer);
        }
        return present;
    }

    private PreflightStep connect(String name) throws ExecutionException, InterruptedException, TimeoutException {
        // Whoever asks now wants to know how it is now.
        subject.connections().resetBackoff(peer);
        Connection made = subject.connections().connect(peer).get(left().toNanos(), TimeUnit.NANOSECONDS);
        connection = made;
        List<QueuePairStatus> pairs = made.queuePairs();
        long ready = pairs.stream()
                .filter(pair -> pair.state() == QueuePairState.RTS && pair.peerState() == QueuePairState.RTS)
                .count();
        String detail = "node " + made.peer().nodeId() + ", " + ready + " of " + pairs.size()
                + " queue pairs are RTS at both ends";
        return ready == pairs.size()
                ? PreflightStep.of(name, Outcome.OK, detail)
                : PreflightStep.of(name, Outcome.WARN, detail, Symptom.QUEUE_PAIR_STUCK);
    }

    private PreflightStep mtu(String name) {
        FabricDevice device = subject.connections().device();
        int own;
        try {
            own = device.portAttributes().activeMtu().bytes();
        } catch (VerbsException e) {
            return failed(name, e);
        }
        int both = connected().mtu();
        return both == own
                ? PreflightStep.of(name, Outcome.OK, "both ends use " + both)
                : PreflightStep.of(
                        name,
                        Outcome.WARN,
                        "this port has " + own + ", and both ends use " + both + ", which is all that the peer has",
                        Symptom.MTU_MISMATCH);
    }

    private PreflightStep push(String name, long bytes, int pushes)
            throws ExecutionException, InterruptedException, TimeoutException {
        long begin = System.nanoTime();
        List<Tensor> tensors = new ArrayList<>();
        try {
            List<CompletableFuture<TransferReceipt>> futures = new ArrayList<>();
            for (int i = 0; i < pushes; i++) {
                Tensor tensor = tensor(bytes);
                tensors.add(tensor);
                futures.add(push(tensor));
            }
            CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new))
                    .get(left().plus(GRACE).toNanos(), TimeUnit.NANOSECONDS);
            return PreflightStep.of(
                    name, Outcome.OK, arrived(futures.get(0).get(), bytes * pushes, System.nanoTime() - begin));
        } finally {
            tensors.forEach(Tensor::close);
        }
    }

    private CompletableFuture<TransferReceipt> push(Tensor tensor) {
        return subject.transfers()
                .push(
                        peer,
                        tensor,
                        PushOptions.defaults()
                                .withChecksum(true)
                                .withReceipt(ReceiptLevel.PROCESSED)
                                .withDeadline(left().plusNanos(1)));
    }

    private static String arrived(TransferReceipt receipt, long bytes, long nanos) {
        String text = bytes + (bytes == 1 ? " byte" : " bytes") + " arrived whole by "
                + receipt.path().name().toLowerCase(Locale.ROOT);
        if (bytes >= MIB) {
            text += String.format(Locale.ROOT, ", %.2f GB/s with checksums and receipts", (double) bytes / nanos);
        }
        return receipt.attempts() > 1 ? text + ", at attempt " + receipt.attempts() : text;
    }

    private TensorDescriptor descriptor(long bytes) {
        return new TensorDescriptor(ReservedNames.PREFLIGHT + ++number, DataType.U8, Shape.of(bytes));
    }

    private Tensor tensor(long bytes) {
        BufferLease lease = subject.pool().acquire(bytes, "preflight", left());
        OffHeap.fill(lease.address(), bytes, (byte) ++number);
        return Tensor.of(descriptor(bytes), lease.address(), lease);
    }

    private PreflightStep gpu(String name) throws ExecutionException, InterruptedException, TimeoutException {
        if (subject.gpus().isEmpty()) {
            return PreflightStep.of(name, Outcome.SKIP, "no GPU is in use: " + subject.withoutGpu());
        }
        GpuMemory gpu = subject.gpus().get(0);
        long begin = System.nanoTime();
        TransferReceipt receipt;
        try (Tensor tensor = gpuTensor(gpu)) {
            receipt = push(tensor).get(left().plus(GRACE).toNanos(), TimeUnit.NANOSECONDS);
        }
        String detail = "from " + gpu.kind() + " by " + gpu.path().kind() + ", "
                + arrived(receipt, MIB, System.nanoTime() - begin);
        return gpu.path().isDirect()
                ? PreflightStep.of(name, Outcome.OK, detail)
                : PreflightStep.of(
                        name, Outcome.WARN, detail + ": " + gpu.path().reason(), Symptom.GPU_STAGED);
    }

    /** What was in the memory before is not for the peer, so it is written over. */
    private Tensor gpuTensor(GpuMemory gpu) {
        BufferLease lease = gpu.pool().acquire(MIB, "preflight", left());
        try (Tensor host = tensor(MIB)) {
            overwrite(gpu, lease.address(), host);
            return Tensor.of(descriptor(MIB), lease.address(), gpu.kind(), lease);
        } catch (RuntimeException e) {
            CopyNotEndedException.giveBack(e, lease::close);
            throw e;
        }
    }

    /** A copy that does not end keeps both memories. */
    private void overwrite(GpuMemory gpu, long address, Tensor host) {
        long source = host.hold();
        try {
            Duration left = left();
            Duration timeout = left.compareTo(gpu.copyTimeout()) < 0 ? left : gpu.copyTimeout();
            gpu.copies().toDevice(source, address, MIB, timeout);
        } catch (RuntimeException e) {
            CopyNotEndedException.giveBack(e, host::release);
            throw e;
        }
        host.release();
    }

    /** Errors that the port counted meanwhile. */
    private PreflightStep counters(Map<PortCounter, Long> before) {
        String name = "port counters";
        if (before.isEmpty()) {
            return PreflightStep.of(name, Outcome.SKIP, counters.device() + " has none");
        }
        List<String> grown = new ArrayList<>();
        List<String> remedies = new ArrayList<>();
        counters.readAll().forEach((counter, value) -> {
            long growth = value - before.getOrDefault(counter, value);
            if (counter.kind() == PortCounter.Kind.FAULT && growth > 0) {
                grown.add(counter.label() + " by " + growth);
                if (!remedies.contains(counter.remedy())) {
                    remedies.add(counter.remedy());
                }
            }
        });
        return grown.isEmpty()
                ? PreflightStep.of(name, Outcome.OK, "no errors and no retransmissions meanwhile")
                : new PreflightStep(
                        name,
                        Outcome.WARN,
                        "grew meanwhile: " + String.join(", ", grown),
                        String.join(" ", remedies),
                        0);
    }
}
