package io.tensorfabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Completion channels: arming, waiting, waking. */
abstract class NotificationContract extends ContractGroup {

    NotificationContract(VerbsContractTest subject) {
        super(subject);
    }

    /** A link whose right end announces receives on a channel. */
    private Link notified(CompletionQueue receives) {
        return link(new Connection(), left.endpoint(), right.endpoint(right.completionQueue(64), receives));
    }

    private void send(Link link, long id, int flags) {
        link.a().send(id, left.buffer(64).all(), SendFlag.SIGNALED | flags);
        link.a().awaitSent(id);
    }

    @Test
    void whenArmedThenTheNextCompletionRaisesAnEvent() {
        CompletionChannel channel = right.channel();
        CompletionQueue queue = right.completionQueue(64, channel);
        Link link = notified(queue);
        link.b().receive(5, right.buffer(64).all());
        queue.requestNotification(false);
        assertThat(channel.await(subject.quiet()))
                .as("before anything happened")
                .isNull();
        send(link, 1, 0);
        assertThat(channel.await(subject.patience())).isSameAs(queue);
        link.b().awaitReceived(5);
    }

    @Test
    void whenNotArmedThenNoEventComes() {
        CompletionChannel channel = right.channel();
        CompletionQueue queue = right.completionQueue(64, channel);
        Link link = notified(queue);
        link.b().receive(5, right.buffer(64).all());
        send(link, 1, 0);
        link.b().awaitReceived(5);
        assertThat(channel.await(subject.quiet())).isNull();
    }

    @Test
    void whenArmedOnceThenOneEventComesForManyCompletions() {
        CompletionChannel channel = right.channel();
        CompletionQueue queue = right.completionQueue(64, channel);
        Link link = notified(queue);
        link.b().receives(0, 10, right.buffer(64).all());
        queue.requestNotification(false);
        for (int i = 0; i < 10; i++) {
            send(link, i, 0);
        }
        assertThat(channel.await(subject.patience())).isSameAs(queue);
        assertThat(channel.await(subject.quiet())).as("a second event").isNull();
        link.b().awaitReceives(10);
    }

    @Test
    void whenArmedAgainAndThenPolledThenNoCompletionIsMissed() {
        CompletionChannel channel = right.channel();
        CompletionQueue queue = right.completionQueue(256, channel);
        Link link = notified(queue);
        int messages = 200;
        int ahead = 100;
        link.b().receives(0, ahead, right.buffer(64).all());
        // A sender that overtakes the receives, because this thread has to wait for a processor, fails.
        Semaphore posted = new Semaphore(ahead);
        Slice message = left.buffer(64).all();
        queue.requestNotification(false);
        CompletableFuture<Void> sender = CompletableFuture.runAsync(() -> {
            for (int i = 0; i < messages; i++) {
                posted.acquireUninterruptibly();
                link.a().send(i, message);
                link.a().awaitSent(i);
            }
        });
        int seen = 0;
        try (WorkCompletions completions = WorkCompletions.allocate(16)) {
            while (seen < messages) {
                assertThat(channel.await(subject.patience()))
                        .as("an event after %d of %d", seen, messages)
                        .isSameAs(queue);
                queue.requestNotification(false);
                for (int count = queue.poll(completions); count > 0; count = queue.poll(completions)) {
                    seen += count;
                    link.b().receives(seen, count, right.buffer(64).all());
                    posted.release(count);
                }
            }
        }
        assertThat(seen).isEqualTo(messages);
        sender.join();
    }

    @Test
    void whenArmedForSolicitedOnlyThenPlainSendsRaiseNone() {
        CompletionChannel channel = right.channel();
        CompletionQueue queue = right.completionQueue(64, channel);
        Link link = notified(queue);
        link.b().receives(0, 3, right.buffer(64).all());
        queue.requestNotification(true);
        send(link, 1, 0);
        assertThat(channel.await(subject.quiet())).isNull();
        send(link, 2, SendFlag.SOLICITED);
        assertThat(channel.await(subject.patience())).isSameAs(queue);
        link.b().awaitReceives(2);
    }

    @Test
    void whenArmedForAllThenAskingForSolicitedOnlyDoesNotNarrowIt() {
        CompletionChannel channel = right.channel();
        CompletionQueue queue = right.completionQueue(64, channel);
        Link link = notified(queue);
        link.b().receive(0, right.buffer(64).all());
        queue.requestNotification(false);
        queue.requestNotification(true);
        send(link, 1, 0);
        assertThat(channel.await(subject.patience())).isSameAs(queue);
        link.b().awaitReceived(0);
    }

    @Test
    void whenSendsCompleteThenAnArmedSendQueueRaisesAnEventToo() {
        CompletionChannel channel = left.channel();
        CompletionQueue queue = left.completionQueue(64, channel);
        Link link = link(new Connection(), left.endpoint(queue, left.completionQueue(64)), right.endpoint());
        queue.requestNotification(false);
        link.a().write(1, left.buffer(64).all(), right.buffer(64).all());
        assertThat(channel.await(subject.patience())).isSameAs(queue);
        link.a().awaitSent(1);
    }

    @Test
    void whenFlushedThenAnArmedQueueRaisesAnEvent() {
        CompletionChannel channel = right.channel();
        CompletionQueue queue = right.completionQueue(64, channel);
        Link link = notified(queue);
        link.b().receives(0, 2, right.buffer(64).all());
        queue.requestNotification(false);
        link.b().to(QueuePairState.ERR);
        assertThat(channel.await(subject.patience())).isSameAs(queue);
        link.b().awaitReceives(2);
    }

    @Test
    void whenSeveralQueuesShareAChannelThenEachEventNamesItsQueue() {
        CompletionChannel channel = right.channel();
        List<CompletionQueue> queues = List.of(
                right.completionQueue(64, channel),
                right.completionQueue(64, channel),
                right.completionQueue(64, channel));
        List<Link> links = queues.stream().map(this::notified).toList();
        queues.forEach(queue -> queue.requestNotification(false));
        for (int i : new int[] {2, 0, 1}) {
            links.get(i).b().receive(i, right.buffer(64).all());
            send(links.get(i), i, 0);
            assertThat(channel.await(subject.patience())).isSameAs(queues.get(i));
            links.get(i).b().awaitReceived(i);
        }
    }

    @Test
    void whenTheQueueHasNoChannelThenArmingIsRefused() {
        CompletionQueue queue = right.completionQueue(64);
        assertThatIllegalStateException().isThrownBy(() -> queue.requestNotification(false));
    }

    @Test
    void whenNothingHappensThenWaitingEndsAfterItsTime() {
        CompletionChannel channel = right.channel();
        long start = System.nanoTime();
        assertThat(channel.await(subject.quiet())).isNull();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(subject.quiet(), subject.patience());
        assertThat(channel.await(Duration.ZERO)).isNull();
    }

    @Test
    void whenWokenWhileWaitingThenTheWaitEnds() throws Exception {
        CompletionChannel channel = right.channel();
        CountDownLatch started = new CountDownLatch(1);
        CompletableFuture<CompletionQueue> waiter = CompletableFuture.supplyAsync(() -> {
            started.countDown();
            return channel.await(subject.patience().multipliedBy(3));
        });
        started.await();
        channel.wakeUp();
        assertThat(waiter.get(subject.patience().toMillis(), TimeUnit.MILLISECONDS))
                .isNull();
    }

    @Test
    void whenWokenBeforeThenTheNextWaitEndsAtOnceAndOnlyThat() {
        CompletionChannel channel = right.channel();
        channel.wakeUp();
        channel.wakeUp();
        long start = System.nanoTime();
        assertThat(channel.await(subject.patience())).isNull();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(subject.patience());
        start = System.nanoTime();
        assertThat(channel.await(subject.quiet())).isNull();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(subject.quiet());
    }

    @Test
    void whenClosedWhileWaitingThenTheWaitEnds() throws Exception {
        CompletionChannel channel = right.channel();
        CountDownLatch started = new CountDownLatch(1);
        CompletableFuture<Void> waiter = CompletableFuture.runAsync(() -> {
            started.countDown();
            try {
                assertThat(channel.await(subject.patience().multipliedBy(3))).isNull();
            } catch (IllegalStateException expected) {
                // The wait began after the close.
            }
        });
        started.await();
        channel.close();
        waiter.get(subject.patience().toMillis(), TimeUnit.MILLISECONDS);
        assertThat(channel.isClosed()).isTrue();
    }

    @Test
    void whenTheQueueIsClosedWithItsEventNotTakenThenTheChannelStillWorks() {
        CompletionChannel channel = right.channel();
        CompletionQueue doomed = right.completionQueue(64, channel);
        Link link = notified(doomed);
        link.b().receive(5, right.buffer(64).all());
        doomed.requestNotification(false);
        send(link, 1, 0);
        link.b().awaitReceived(5);
        link.b().queuePair().close();
        doomed.close();
        CompletionQueue next = right.completionQueue(64, channel);
        Link other = notified(next);
        other.b().receive(6, right.buffer(64).all());
        next.requestNotification(false);
        send(other, 2, 0);
        assertThat(channel.await(subject.patience())).isSameAs(next);
    }
}
