package io.tensorfabric.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.connection.Connection;
import io.tensorfabric.connection.ConnectionException;
import io.tensorfabric.connection.FabricDeviceOptions;
import io.tensorfabric.connection.PeerRight;
import io.tensorfabric.connection.RegionRequest;
import io.tensorfabric.connection.Transmission;
import io.tensorfabric.connection.ZoneGrant;
import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.testing.TwoNodes;
import io.tensorfabric.verbs.WorkCompletionStatus;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a peer can do that has keys and does not keep to the rules: node A reads and writes node B's memory by itself. */
@Timeout(60)
class PublishedAccessTest {

    private static final int SIZE = 100_000;

    private static SoftPair pair(boolean windows, Set<PeerRight> rights) {
        FabricDeviceOptions device =
                FabricDeviceOptions.builder().memoryWindows(windows).build();
        return new SoftPair(
                PullTest.options().deviceGrace(Duration.ofMillis(300)),
                builder -> builder.deviceOptions(device)
                        .policy(nodeId -> nodeId.equals(TwoNodes.A) ? rights : EnumSet.allOf(PeerRight.class)));
    }

    private static SoftPair pair(boolean windows) {
        return pair(windows, EnumSet.allOf(PeerRight.class));
    }

    private static ZoneGrant open(Connection connection) {
        return connection.requestRegion(new RegionRequest("w", null), Duration.ofSeconds(5));
    }

    /** A request of A's own making; returns how it ended. */
    private static WorkCompletionStatus execute(
            SoftPair pair, Connection connection, int lane, boolean read, long remote, int length, int key)
            throws Exception {
        try (BufferLease local = pair.nodes.a().pool().acquire(SIZE * 2L, "a test")) {
            OffHeap.fill(local.address(), SIZE * 2L, (byte) 0x55);
            CompletableFuture<WorkCompletionStatus> end = new CompletableFuture<>();
            Transmission work = connection.lanes().get(lane).begin(1, false);
            assertThat(work).isNotNull();
            int lkey = local.region().lkey();
            if (read) {
                work.read(local.address(), length, lkey, remote, key);
            } else {
                work.write(local.address(), length, lkey, remote, key);
            }
            work.submit((on, token, status, vendorError) -> end.complete(status), 0);
            return end.get(10, TimeUnit.SECONDS);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whenAPeerReadsPastTheTensorThenItIsRefused(boolean windows) throws Exception {
        try (SoftPair pair = pair(windows);
                Tensor tensor = PullTest.random("w", SIZE);
                PublishedTensor published = pair.b().publish(tensor, PublishOptions.readable())) {
            Connection connection = pair.nodes.connect();
            ZoneGrant grant = open(connection);
            assertThat(published.peers()).containsExactly(TwoNodes.A);
            int key = grant.rkeys().get(1);
            assertThat(grant.toString() + published)
                    .doesNotContain(Long.toString(grant.address()))
                    .doesNotContain(Long.toHexString(grant.address()))
                    .doesNotContain(Integer.toString(key));
            assertChecksumsAreRefused(connection);
            assertThat(execute(pair, connection, 1, true, grant.address(), SIZE, key))
                    .isEqualTo(WorkCompletionStatus.SUCCESS);
            assertThat(execute(pair, connection, 1, true, grant.address() + 1, SIZE, key))
                    .isEqualTo(WorkCompletionStatus.REM_ACCESS_ERR);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whenAPeerWritesWhereItMayOnlyReadThenItIsRefused(boolean windows) throws Exception {
        try (SoftPair pair = pair(windows);
                Tensor tensor = PullTest.random("w", SIZE);
                Tensor before = PullTest.random("w", SIZE);
                PublishedTensor published = pair.b().publish(tensor, PublishOptions.readable())) {
            Connection connection = pair.nodes.connect();
            ZoneGrant grant = open(connection);
            assertThat(published.isOpen()).isTrue();
            assertThat(execute(
                            pair,
                            connection,
                            1,
                            false,
                            grant.address(),
                            10,
                            grant.rkeys().get(1)))
                    .isEqualTo(WorkCompletionStatus.REM_ACCESS_ERR);
            assertThat(tensor.asByteBuffer()).isEqualTo(before.asByteBuffer());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whenAPeerReadsWhereItMayOnlyWriteThenItIsRefused(boolean windows) throws Exception {
        try (SoftPair pair = pair(windows);
                Tensor tensor = PullTest.random("w", SIZE);
                PublishedTensor published = pair.b()
                        .publish(tensor, PublishOptions.readable().withReaders().withWriters("*"))) {
            Connection connection = pair.nodes.connect();
            ZoneGrant grant = open(connection);
            assertThat(published.isOpen()).isTrue();
            assertThat(execute(
                            pair,
                            connection,
                            1,
                            true,
                            grant.address(),
                            10,
                            grant.rkeys().get(1)))
                    .isEqualTo(WorkCompletionStatus.REM_ACCESS_ERR);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whenTheTensorIsClosedThenAKeyThatThePeerKeptIsOfNoUse(boolean windows) throws Exception {
        try (SoftPair pair = pair(windows);
                Tensor tensor = PullTest.random("w", SIZE);
                Tensor before = PullTest.random("w", SIZE)) {
            PublishedTensor published =
                    pair.b().publish(tensor, PublishOptions.readable().withWriters("*"));
            Connection connection = pair.nodes.connect();
            ZoneGrant grant = open(connection);
            long start = System.nanoTime();
            // The transfers of A know nothing of this access, so that nobody gives it back.
            published.close();
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .isBetween(Duration.ofMillis(300), Duration.ofSeconds(20));
            boolean read = windows;
            assertThat(execute(
                            pair,
                            connection,
                            1,
                            read,
                            grant.address(),
                            10,
                            grant.rkeys().get(1)))
                    .isEqualTo(WorkCompletionStatus.REM_ACCESS_ERR);
            assertThat(tensor.asByteBuffer()).isEqualTo(before.asByteBuffer());
            assertThatThrownBy(() -> open(pair.nodes.connect()))
                    .isInstanceOf(ConnectionException.class)
                    .extracting(e -> ((ConnectionException) e).kind())
                    .isEqualTo(ConnectionException.Kind.NOT_PUBLISHED);
        }
    }

    @Test
    void whenTheKeyOfOneLaneIsUsedOnAnotherThenItIsRefused() throws Exception {
        try (SoftPair pair = pair(true);
                Tensor tensor = PullTest.random("w", SIZE);
                PublishedTensor published = pair.b().publish(tensor, PublishOptions.readable())) {
            Connection connection = pair.nodes.connect();
            ZoneGrant grant = open(connection);
            assertThat(published.isOpen()).isTrue();
            assertThat(execute(
                            pair,
                            connection,
                            1,
                            true,
                            grant.address(),
                            10,
                            grant.rkeys().get(0)))
                    .isEqualTo(WorkCompletionStatus.REM_ACCESS_ERR);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"PUSH", "PUBLISH"})
    void whenAPeerMayNotPullThenItsQueuePairsReadNothing(PeerRight right) throws Exception {
        try (SoftPair pair = pair(false, EnumSet.of(right));
                BufferLease memory = pair.nodes.b().pool().acquire(SIZE, "a test")) {
            Connection connection = pair.nodes.connect();
            // Whatever key it may have guessed.
            assertThat(execute(
                            pair,
                            connection,
                            1,
                            true,
                            memory.address(),
                            10,
                            memory.region().rkey()))
                    .isEqualTo(WorkCompletionStatus.REM_INV_REQ_ERR);
        }
    }

    @Test
    void whenTheConnectionEndsThenSoDoesTheAccessOverIt() {
        try (SoftPair pair = pair(true);
                Tensor tensor = PullTest.random("w", SIZE);
                PublishedTensor published = pair.b().publish(tensor, PublishOptions.readable())) {
            Connection connection = pair.nodes.connect();
            open(connection);
            assertThat(published.peers()).containsExactly(TwoNodes.A);
            connection.fail(new ConnectionException(ConnectionException.Kind.LOST, TwoNodes.B, "cut"));
            await().untilAsserted(() -> assertThat(published.peers()).isEmpty());
        }
    }

    private static void assertChecksumsAreRefused(Connection connection) {
        for (RegionRequest.Part part : new RegionRequest.Part[] {
            new RegionRequest.Part(1, SIZE),
            new RegionRequest.Part(Long.MAX_VALUE, 1),
            new RegionRequest.Part(0, Long.MAX_VALUE),
            new RegionRequest.Part(-1, 1)
        }) {
            assertThatThrownBy(() -> connection.requestRegion(new RegionRequest("w", part), Duration.ofSeconds(5)))
                    .isInstanceOf(ConnectionException.class)
                    .extracting(e -> ((ConnectionException) e).kind())
                    .isEqualTo(ConnectionException.Kind.MALFORMED);
        }
    }
}
