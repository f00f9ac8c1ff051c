package io.tensorfabric.connection;

import io.tensorfabric.verbs.CompletionChannel;
import io.tensorfabric.verbs.CompletionQueue;
import io.tensorfabric.verbs.VerbsContext;
import io.tensorfabric.verbs.VerbsException;
import io.tensorfabric.verbs.WorkCompletions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that takes completions and hands each to its target: polls for a while after work of users, then sleeps on the
 * completion channel. After work of the fabric's own, such as heartbeats, it sleeps at once. Nothing that a target throws ends
 * it.
 *
 * <p>A caller that waits for a completion may poll in its stead, which spares both the way from one thread to another. One
 * thread at a time has the turn, and all callbacks come from that one.
 */
final class CompletionPoller {

    private static final Logger LOG = LoggerFactory.getLogger(CompletionPoller.class);

    /** Bound of one sleep; completions and tasks end it earlier. */
    private static final Duration SLEEP = Duration.ofMillis(500);

    private final String name;
    private final CompletionRouter router;
    private final CompletionChannel channel;
    private final CompletionQueue sendQueue;
    private final CompletionQueue receiveQueue;
    private final Notifications notifications;
    private final CompletionBudget sendBudget;
    private final CompletionBudget receiveBudget;
    private final CompletionCounters sendCounters = new CompletionCounters();
    private final CompletionCounters receiveCounters = new CompletionCounters();
    private final WorkCompletions completions;
    private final long spinNanos;
    private final VerbsContext context;
    private final boolean numaAffinity;
    private final Runnable onBroken;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final List<CompletionTarget> batchTargets = new ArrayList<>();
    private final List<Runnable> afterBatch = new ArrayList<>();
    private final Thread thread;
    private final CallerTurns turns;
    private volatile boolean closed;
    private volatile boolean broken;

    /** Whether completions are handed out; of the thread that has the turn. */
    private boolean inBatch;

    /** Whether users were served since the last question; of the thread that has the turn. */
    private boolean used;

    /** @param onBroken called once when a completion queue has failed */
    CompletionPoller(
            String name,
            VerbsContext context,
            CompletionRouter router,
            FabricDeviceOptions options,
            Runnable onBroken) {
        this.name = name;
        this.router = router;
        this.onBroken = onBroken;
        this.spinNanos = options.spin().toNanos();
        this.context = context;
        this.numaAffinity = options.numaAffinity();
        int max = context.queryDevice().maxCompletionQueueEntries();
        try (Undo undo = new Undo()) {
            this.channel = undo.add(context.createCompletionChannel());
            this.sendQueue = undo.add(context.createCompletionQueue(Math.min(options.sendCompletions(), max), channel));
            this.receiveQueue =
                    undo.add(context.createCompletionQueue(Math.min(options.receiveCompletions(), max), channel));
            undo.keep();
        }
        this.notifications = new Notifications(channel, sendQueue, receiveQueue);
        // What was asked for, not what the device rounded it up to: the configured limit holds.
        this.sendBudget = new CompletionBudget(Math.min(options.sendCompletions(), sendQueue.capacity()));
        this.receiveBudget = new CompletionBudget(Math.min(options.receiveCompletions(), receiveQueue.capacity()));
        this.completions = WorkCompletions.allocate(options.pollBatch());
        this.thread = new Thread(this::run, name);
        this.thread.setDaemon(true);
        this.turns = new CallerTurns(spinNanos, this::workUnlessClosed, this::attend);
    }

    void start() {
        thread.start();
    }

    CompletionQueue sendQueue() {
        return sendQueue;
    }

    CompletionQueue receiveQueue() {
        return receiveQueue;
    }

    CompletionBudget sendBudget() {
        return sendBudget;
    }

    CompletionBudget receiveBudget() {
        return receiveBudget;
    }

    CompletionRouter router() {
        return router;
    }

    /** Whether this thread has the turn to poll. */
    boolean isPollerThread() {
        return turns.isMine() || Thread.currentThread() == thread;
    }

    /**
     * Polls on the calling thread until something is so, unless that takes long, or some time with nothing to do.
     *
     * @return whether it is so
     */
    boolean pollUntil(BooleanSupplier done, long nanos) {
        return (isPollerThread() || broken) ? done.getAsBoolean() : turns.pollUntil(done, nanos);
    }

    /** A user was served, of whom more may come at once. Poller thread only. */
    void used() {
        used = true;
    }

    private boolean takeUsed() {
        boolean now = used;
        used = false;
        return now;
    }

    /** Has {@link CompletionTarget#batchEnded} called after the present batch. Poller thread only. */
    void batchEnds(CompletionTarget target) {
        batchTargets.add(target);
    }

    /** Has a task run by this thread after the present batch; false, with nothing done, if it is not in one. */
    boolean afterBatch(Runnable task) {
        if (!turns.isMine() || !inBatch) {
            return false;
        }
        afterBatch.add(task);
        return true;
    }

    /** Runs a short task on the poller thread; tasks given after close may never run. */
    void execute(Runnable task) {
        tasks.add(task);
        channel.wakeUp();
    }

    /** Waits until the poller has left every callback that it is in now; false if it did not in time. */
    boolean barrier(Duration timeout) {
        if (isPollerThread() || !thread.isAlive()) {
            return true;
        }
        CountDownLatch passed = new CountDownLatch(1);
        execute(passed::countDown);
        try {
            return passed.await(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    List<CompletionQueueStatus> status() {
        return List.of(
                status(name + "-send", sendBudget, sendCounters),
                status(name + "-receive", receiveBudget, receiveCounters));
    }

    private CompletionQueueStatus status(String queue, CompletionBudget budget, CompletionCounters counters) {
        return new CompletionQueueStatus(
                queue, budget.capacity(), budget.used(), budget.peak(), counters.snapshot(), broken);
    }

    private void settle() {
        try {
            String processors = context.bindThread();
            if (!processors.isEmpty()) {
                LOG.info("{} runs on processors {}, near {}", name, processors, context.deviceName());
            }
        } catch (RuntimeException e) {
            LOG.warn(
                    "{} runs on any processor, for it cannot be bound to those near {}", name, context.deviceName(), e);
        }
    }

    private void run() {
        if (numaAffinity) {
            settle();
        }
        attend(true);
        long idleSince = System.nanoTime();
        while (!closed) {
            if (turns.yieldToCallers() || (workInTurn() && takeUsed())) {
                idleSince = System.nanoTime();
            } else if (System.nanoTime() - idleSince < spinNanos) {
                Thread.onSpinWait();
            } else if (sleep()) {
                idleSince = System.nanoTime();
            }
        }
        attend(false);
        turns.take();
        runTasks();
        turns.give();
    }

    private CallerTurns.Work workUnlessClosed() {
        if (closed) {
            return CallerTurns.Work.OVER;
        }
        return work() ? CallerTurns.Work.DONE : CallerTurns.Work.NOTHING;
    }

    private boolean workInTurn() {
        turns.take();
        try {
            return work();
        } finally {
            turns.give();
        }
    }

    /** Looks after the device for as long as it polls without sleeping. */
    private void attend(boolean polling) {
        if (spinNanos > 0) {
            receiveQueue.attend(polling);
            sendQueue.attend(polling);
        }
    }

    private boolean work() {
        boolean worked = runTasks();
        if (broken) {
            return worked;
        }
        inBatch = true;
        try {
            worked |= poll(receiveQueue, receiveCounters);
            worked |= poll(sendQueue, sendCounters);
        } catch (VerbsException e) {
            markBroken(e);
        }
        inBatch = false;
        for (int i = 0; i < afterBatch.size(); i++) {
            runTask(afterBatch.get(i));
        }
        afterBatch.clear();
        return worked;
    }

    /**
     * Arms, looks once more, then sleeps: what comes after the arming wakes the channel.
     *
     * @return whether it served users instead
     */
    private boolean sleep() {
        attend(false);
        try {
            return sleepUntilWoken();
        } finally {
            attend(true);
        }
    }

    private boolean sleepUntilWoken() {
        try {
            if (!broken) {
                notifications.arm();
                if (workInTurn()) {
                    return takeUsed();
                }
            }
            if (!closed && tasks.isEmpty()) {
                // A callback may have left the thread interrupted, which would end every sleep at once.
                Thread.interrupted();
                notifications.await(SLEEP);
            }
        } catch (VerbsException e) {
            markBroken(e);
        }
        return false;
    }

    private boolean poll(CompletionQueue queue, CompletionCounters counters) {
        int count = queue.poll(completions);
        for (int i = 0; i < count; i++) {
            dispatch(counters, i);
        }
        for (int i = 0; i < batchTargets.size(); i++) {
            endBatch(batchTargets.get(i));
        }
        batchTargets.clear();
        return count > 0;
    }

    private void dispatch(CompletionCounters counters, int i) {
        long id = completions.id(i);
        int status = completions.statusCode(i);
        int slot = WorkIds.slot(id);
        if (slot != WorkIds.DRAIN_MARKER) {
            counters.count(status);
        }
        CompletionTarget target = router.find(id);
        if (target == null) {
            LOG.debug("{}: a completion of a queue pair that is gone", name);
            return;
        }
        try {
            target.completed(slot, status, completions, i);
        } catch (Throwable t) {
            LOG.error("{}: a completion callback failed; the poller goes on", name, t);
        }
    }

    private void endBatch(CompletionTarget target) {
        try {
            target.batchEnded();
        } catch (Throwable t) {
            LOG.error("{}: a completion callback failed; the poller goes on", name, t);
        }
    }

    private boolean runTasks() {
        boolean ran = false;
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            ran = true;
            used = true;
            runTask(task);
        }
        return ran;
    }

    private void runTask(Runnable task) {
        try {
            task.run();
        } catch (Throwable t) {
            LOG.error("{}: a task failed; the poller goes on", name, t);
        }
    }

    private void markBroken(VerbsException cause) {
        if (!broken) {
            broken = true;
            LOG.error("{}: the completion queue failed and cannot be used any more", name, cause);
            onBroken.run();
        }
    }

    /** Stops the thread and destroys the queues, which no queue pair may use any more. */
    void close() {
        closed = true;
        channel.wakeUp();
        if (thread.isAlive() && !join()) {
            throw new IllegalStateException(name + " does not end: a callback blocks it. Its queues stay allocated");
        }
        // For good: a caller that comes late finds no queues.
        turns.take();
        receiveQueue.close();
        sendQueue.close();
        channel.close();
        completions.close();
    }

    private boolean join() {
        boolean interrupted = Thread.interrupted();
        try {
            thread.join(TimeUnit.SECONDS.toMillis(10));
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return !thread.isAlive();
    }
}
