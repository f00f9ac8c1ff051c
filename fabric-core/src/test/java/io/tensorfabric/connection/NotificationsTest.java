package io.tensorfabric.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.verbs.CompletionChannel;
import io.tensorfabric.verbs.CompletionQueue;
import io.tensorfabric.verbs.WorkCompletions;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class NotificationsTest {

    private final CountingQueue sends = new CountingQueue();

    private final CountingQueue receives = new CountingQueue();

    private final ScriptedChannel channel = new ScriptedChannel();

    private final Notifications notifications = new Notifications(channel, sends, receives);

    @Test
    void whenQueuesAreStillArmedThenTheyAreNotArmedAgain() {
        notifications.arm();
        notifications.arm();

        assertThat(sends.armed).isEqualTo(1);
        assertThat(receives.armed).isEqualTo(1);
    }

    @Test
    void whenTheEventOfAQueueWasTakenThenItAloneIsArmedAgain() {
        notifications.arm();
        channel.events.add(receives);
        notifications.await(Duration.ZERO);
        notifications.arm();

        assertThat(sends.armed).isEqualTo(1);
        assertThat(receives.armed).isEqualTo(2);
    }

    @Test
    void whenAWaitEndsWithoutAnEventThenQueuesAreStillArmed() {
        notifications.arm();
        notifications.await(Duration.ZERO);
        notifications.arm();

        assertThat(sends.armed).isEqualTo(1);
        assertThat(receives.armed).isEqualTo(1);
    }

    private static final class ScriptedChannel implements CompletionChannel {

        private final Queue<CompletionQueue> events = new ArrayDeque<>();

        @Override
        public @Nullable CompletionQueue await(Duration timeout) {
            return events.poll();
        }

        @Override
        public void wakeUp() {}

        @Override
        public boolean isClosed() {
            return false;
        }

        @Override
        public void close() {}
    }

    private static final class CountingQueue implements CompletionQueue {

        private int armed;

        @Override
        public int capacity() {
            return 1;
        }

        @Override
        public int poll(WorkCompletions completions) {
            return 0;
        }

        @Override
        public void requestNotification(boolean solicitedOnly) {
            armed++;
        }

        @Override
        public boolean isClosed() {
            return false;
        }

        @Override
        public void close() {}
    }
}
