package io.tensorfabric.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.transfer.TransferStatus.Direction;
import io.tensorfabric.transfer.TransferStatus.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TransferLogTest {

    private final TransferLog log = new TransferLog(4);

    private final List<String> counted = new ArrayList<>();

    private final List<TransferStatus> told = new ArrayList<>();

    /** Counts all, and wants to know more of some. */
    private final class Counter implements TransferObserver {

        private final State wanted;

        Counter(State wanted) {
            this.wanted = wanted;
        }

        @Override
        public boolean wantsStatus(State state) {
            return state == wanted;
        }

        @Override
        public void transferCounted(Direction direction, State state, TransferPath path, long bytes, long nanos) {
            counted.add(direction + " " + state + " " + path + " " + bytes + " " + nanos);
        }

        @Override
        public void transferEnded(TransferStatus status, Duration elapsed) {
            told.add(status);
        }
    }

    private void ended(State state, TransferPath path) {
        log.ended(7, Direction.OUT, "right", "x", 12, 12, state, 1000, 500, null, path);
    }

    @Test
    void whenAnObserverCountsThenItGetsFiguresOfAllAndStatusOfWhatItWants() {
        log.add(new Counter(State.FAILED));

        ended(State.DONE, TransferPath.HOST);
        ended(State.FAILED, null);

        assertThat(counted).containsExactly("OUT DONE HOST 12 500", "OUT FAILED NONE 12 500");
        assertThat(told).singleElement().satisfies(status -> {
            assertThat(status.transferId()).isEqualTo(7);
            assertThat(status.state()).isEqualTo(State.FAILED);
            assertThat(status.path()).isNull();
        });
    }

    @Test
    void whenOneObserverThrowsThenOthersAreTold() {
        log.add((status, elapsed) -> {
            throw new IllegalStateException("broken");
        });
        log.add(new Counter(State.DONE));

        ended(State.DONE, TransferPath.HOST);

        assertThat(counted).hasSize(1);
        assertThat(told).hasSize(1);
    }

    @Test
    void whenAnObserverIsRemovedThenItIsToldNoMore() {
        TransferObserver observer = new Counter(State.DONE);
        log.add(observer);
        log.remove(observer);

        ended(State.DONE, TransferPath.HOST);

        assertThat(counted).isEmpty();
        assertThat(log.statistics(0).pushed()).isOne();
    }
}
