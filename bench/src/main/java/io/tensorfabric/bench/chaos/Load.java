package io.tensorfabric.bench.chaos;

import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.memory.MemoryRegionPool;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.tensor.TensorDescriptor;
import io.tensorfabric.transfer.PushOptions;
import io.tensorfabric.transfer.ReceiptLevel;
import io.tensorfabric.transfer.TensorTransferService;
import io.tensorfabric.transfer.TransferException;
import io.tensorfabric.transfer.TransferReceipt;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.SmartLifecycle;

/**
 * Pushes to the peers from a few threads, each one push after the other. When the application ends, no further push
 * begins, and those under way are the fabric's to end.
 */
final class Load implements SmartLifecycle, DisposableBean {

    /** Some are larger than a landing zone and so get one of their own. */
    private static final long[] SIZES = {0, 1, 64, 4_000, 4_096, 60_000, 65_537, 500_000, 1 << 20, 3_000_001, 6 << 20};

    /** How many in a hundred are at most as long as the size at the same place. */
    private static final int[] SHARES = {5, 8, 20, 35, 45, 60, 70, 84, 93, 98, 100};

    private static final int THREADS_PER_PEER = 2;

    private static final int LEAST_DEADLINE_MILLIS = 500;

    private static final int MOST_DEADLINE_MILLIS = 8_000;

    private static final int MOST_PAUSE_MILLIS = 60;

    private static final long UNENDED_SECONDS = 30;

    private final String node;

    private final int generation;

    private final TensorTransferService transfers;

    private final MemoryRegionPool pool;

    private final Journal journal;

    private final AtomicLong numbers = new AtomicLong();

    private final AtomicInteger active = new AtomicInteger();

    private final Map<String, AtomicInteger> successes = new ConcurrentHashMap<>();

    private final List<Thread> threads = new ArrayList<>();

    private volatile boolean wanted;

    private volatile boolean ending;

    Load(NodeArguments arguments, TensorTransferService transfers, MemoryRegionPool pool, Journal journal) {
        this.node = arguments.node();
        this.generation = arguments.generation();
        this.transfers = transfers;
        this.pool = pool;
        this.journal = journal;
        for (String peer : arguments.peers().keySet()) {
            successes.put(peer, new AtomicInteger());
            for (int i = 0; i < THREADS_PER_PEER; i++) {
                Random random = new Random(arguments.seed() + threads.size() + 100L * generation + node.hashCode());
                Thread thread = new Thread(() -> run(peer, random), "chaos-load-" + peer + "-" + i);
                thread.setDaemon(true);
                threads.add(thread);
            }
        }
    }

    /** Pushes from now on, or no longer. */
    void want(boolean value) {
        wanted = value;
    }

    /** Pushes to be ended, and for each peer the receipts since the last call, as {@code "active=1 b=20 c=0"}. */
    String status() {
        StringBuilder text = new StringBuilder("active=" + active.get());
        successes.forEach(
                (peer, count) -> text.append(' ').append(peer).append('=').append(count.getAndSet(0)));
        return text.toString();
    }

    private void run(String peer, Random random) {
        try {
            while (!ending) {
                if (wanted) {
                    push(peer, random);
                }
                TimeUnit.MILLISECONDS.sleep(random.nextInt(1, MOST_PAUSE_MILLIS));
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error ex) {
            // A pool that is closed with the application is no failure.
            if (!ending) {
                journal.add(new Event.Broken(System.nanoTime(), "a thread of the load ended with " + ex));
                throw ex;
            }
        }
    }

    private void push(String peer, Random random) throws InterruptedException {
        PushId push = new PushId(node, generation, numbers.getAndIncrement(), size(random));
        ReceiptLevel[] levels = ReceiptLevel.values();
        PushOptions options = PushOptions.defaults()
                .withDeadline(Duration.ofMillis(random.nextInt(LEAST_DEADLINE_MILLIS, MOST_DEADLINE_MILLIS)))
                .withReceipt(levels[random.nextInt(levels.length)])
                .withChecksum(random.nextBoolean());
        CountDownLatch ended = new CountDownLatch(1);
        active.incrementAndGet();
        try (Tensor tensor = tensor(push)) {
            long millis = options.deadline() == null ? 0 : options.deadline().toMillis();
            journal.add(new Event.Started(System.nanoTime(), push, peer, options.receipt(), millis));
            transfers.push(peer, tensor, options).whenComplete((receipt, failure) -> {
                end(push, receipt, failure);
                ended.countDown();
            });
            if (!ended.await(millis + TimeUnit.SECONDS.toMillis(UNENDED_SECONDS), TimeUnit.MILLISECONDS)) {
                journal.add(new Event.Broken(
                        System.nanoTime(), "push " + push + " to " + peer + " has no end long after its deadline"));
            }
        } finally {
            active.decrementAndGet();
        }
    }

    private void end(PushId push, @Nullable TransferReceipt receipt, @Nullable Throwable failure) {
        long now = System.nanoTime();
        if (receipt != null) {
            AtomicInteger count = successes.get(receipt.peer());
            if (count == null
                    || receipt.bytes() != push.bytes()
                    || !receipt.tensor().equals(push.tensorName())) {
                journal.add(new Event.Broken(now, "push " + push + " got a receipt that is not its own: " + receipt));
            } else {
                count.incrementAndGet();
            }
            journal.add(new Event.Ended(now, push, receipt.level().name(), ""));
            return;
        }
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        String outcome = cause instanceof TransferException typed ? typed.kind().name() : String.valueOf(cause);
        String text = cause == null ? "" : String.valueOf(cause.getMessage());
        journal.add(new Event.Ended(now, push, outcome.replaceAll("\\s+", "_"), text));
    }

    private Tensor tensor(PushId push) {
        BufferLease lease = pool.acquire(push.bytes(), "chaos");
        Content.fill(push, lease.address());
        return Tensor.of(
                new TensorDescriptor(push.tensorName(), DataType.U8, Shape.of(push.bytes())), lease.address(), lease);
    }

    private static long size(Random random) {
        int share = random.nextInt(100);
        int place = 0;
        while (share >= SHARES[place]) {
            place++;
        }
        long longest = SIZES[place];
        return longest == 0 || random.nextBoolean() ? longest : random.nextLong(SIZES[place - 1], longest + 1);
    }

    @Override
    public void start() {
        threads.forEach(Thread::start);
    }

    @Override
    public void stop() {
        ending = true;
    }

    @Override
    public boolean isRunning() {
        return !ending && threads.get(0).isAlive();
    }

    /** Waits for the ends of all pushes, after the fabric has gone. */
    @Override
    public void destroy() throws InterruptedException {
        ending = true;
        for (Thread thread : threads) {
            thread.join(TimeUnit.SECONDS.toMillis(2));
        }
    }
}
