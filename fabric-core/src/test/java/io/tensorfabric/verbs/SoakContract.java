package io.tensorfabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random sound and unsound operations on some connections. Whatever happens, each request completes once, a success
 * means that the data is there, a failure puts the queue pair into ERR, and a connection can be made anew.
 */
abstract class SoakContract extends ContractGroup {

    private static final int STEPS = 2000;
    private static final int LINKS = 4;
    private static final int AREA = 3000;

    private final List<Lane> lanes = new ArrayList<>();

    SoakContract(VerbsContractTest subject) {
        super(subject);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2026})
    void whenOperationsAreRandomThenEachRequestCompletesOnceAndRightly(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < LINKS; i++) {
            lanes.add(new Lane(link(settings())));
        }
        for (int step = 0; step < STEPS; step++) {
            Lane lane = lanes.get(random.nextInt(LINKS));
            int choice = random.nextInt(100);
            if (choice < 80) {
                lane.sound(random, choice);
            } else if (choice < 90) {
                registerAndForget(random);
            } else if (choice < 96) {
                lane.unsound(random);
            } else {
                lane.renew(random.nextBoolean());
            }
        }
        lanes.forEach(Lane::finish);
    }

    private static Connection settings() {
        return new Connection().timeout(14, 3).rnrRetry(2);
    }

    private void registerAndForget(Random random) {
        Node node = random.nextBoolean() ? left : right;
        Buffer memory =
                random.nextBoolean() ? lanes.get(0).areaOf(node) : lanes.get(1).areaOf(node);
        int offset = random.nextInt(AREA);
        node.domain()
                .registerMemory(memory.address() + offset, AREA - offset, Set.of(AccessFlag.LOCAL_WRITE))
                .close();
    }

    /** One connection of the soak with what is outstanding on it. */
    private final class Lane {

        private final Link link;
        private final Buffer source = left.buffer(AREA);
        private final Buffer target = right.buffer(AREA);
        private final Deque<Long> expected = new ArrayDeque<>();
        private long nextId;

        Lane(Link link) {
            this.link = link;
        }

        Buffer areaOf(Node node) {
            return node == left ? source : target;
        }

        void sound(Random random, int choice) {
            int offset = random.nextInt(AREA);
            int length = random.nextInt(AREA - offset + 1);
            source.fill(random.nextLong());
            Slice from = source.slice(offset, length);
            Slice to = target.slice(offset, length);
            if (choice < 30) {
                link.a().write(expect(), from, to);
            } else if (choice < 45) {
                link.b().receive(nextId);
                link.a().writeWithImmediate(expect(), from, to, choice);
            } else if (choice < 65) {
                link.b().receive(nextId, to);
                link.a().send(expect(), from);
            } else {
                target.fill(random.nextLong());
                link.a().read(expect(), from, to);
            }
            succeed(choice >= 30 && choice < 65);
            assertThat(source.bytes(offset, length)).isEqualTo(target.bytes(offset, length));
        }

        private long expect() {
            expected.add(nextId);
            return nextId++;
        }

        private void succeed(boolean withReceive) {
            long id = expected.remove();
            link.a().awaitSent(id);
            if (withReceive) {
                link.b().awaitReceived(id);
            }
        }

        /** Posts a chain that fails at its first, second or third request, looks at all, and connects anew. */
        void unsound(Random random) {
            int bad = random.nextInt(3);
            boolean local = random.nextBoolean() && (bad == 0 || subject.failsLocallyBehindOthers());
            byte[] before = target.bytes();
            source.put(0, Arrays.copyOf(before, 100));
            link.a().post(list -> {
                for (int i = 0; i < 5; i++) {
                    Slice from = source.slice(0, 100);
                    Slice to = target.slice(0, 100);
                    if (i == bad) {
                        from = local ? from.withLkey(0x7fffff00) : from;
                        to = local ? to : to.withRkey(0x7fffff00);
                    }
                    Endpoint.addWrite(list, expect(), from, to, SendFlag.SIGNALED);
                }
            });
            List<Completion> completions = link.a().awaitSends(5);
            for (int i = 0; i < 5; i++) {
                assertThat(completions.get(i).id()).isEqualTo(expected.remove());
                assertThat(completions.get(i).status()).isIn(statusOf(i, bad, local));
            }
            link.a().awaitState(QueuePairState.ERR);
            link.b().awaitState(local ? QueuePairState.RTS : QueuePairState.ERR);
            assertThat(target.bytes()).isEqualTo(before);
            renew(true);
        }

        private Set<WorkCompletionStatus> statusOf(int index, int bad, boolean local) {
            if (index < bad) {
                return Set.of(WorkCompletionStatus.SUCCESS);
            }
            if (index > bad) {
                return Set.of(WorkCompletionStatus.WR_FLUSH_ERR);
            }
            return local ? subject.localProtectionStatuses() : Set.of(WorkCompletionStatus.REM_ACCESS_ERR);
        }

        /** Through RESET back to RTS, with receives and sends outstanding when moved to ERR first. */
        void renew(boolean throughError) {
            if (throughError) {
                link.b().receives(nextId, 3, target.all());
                link.a().to(QueuePairState.ERR);
                // Where receives posted in ERR are kept, this change flushes them.
                link.b().to(QueuePairState.ERR);
                assertThat(link.b().awaitReceives(3))
                        .allMatch(completion -> completion.status() == WorkCompletionStatus.WR_FLUSH_ERR)
                        .extracting(Completion::id)
                        .containsExactly(nextId, nextId + 1, nextId + 2);
            }
            link.a().to(QueuePairState.RESET);
            link.b().to(QueuePairState.RESET);
            settings().connect(link.a(), link.b());
        }

        void finish() {
            link.a().assertQuiet();
            link.b().assertQuiet();
            assertThat(expected).isEmpty();
        }
    }
}
