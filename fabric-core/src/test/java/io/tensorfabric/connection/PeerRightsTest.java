package io.tensorfabric.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorfabric.connection.ConnectionException.Kind;
import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.testing.TwoNodes;
import io.tensorfabric.verbs.AccessFlag;
import io.tensorfabric.verbs.Gid;
import io.tensorfabric.verbs.MemoryRegion;
import io.tensorfabric.verbs.WorkCompletionStatus;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What peers may do at the level of queue pairs, and to others' connections. */
@Timeout(60)
class PeerRightsTest {

    /** B lets A do this; A lets B do everything. */
    private static TwoNodes withRightsOfA(Set<PeerRight> rights) {
        return TwoNodes.start(builder ->
                builder.policy(nodeId -> nodeId.equals(TwoNodes.A) ? rights : EnumSet.allOf(PeerRight.class)));
    }

    @Test
    void whenANodeHasNoRightThenItsRequestIsRefusedAndNothingIsMade() {
        try (TwoNodes nodes = withRightsOfA(Set.of())) {
            assertThatThrownBy(() -> nodes.a().manager().connect(TwoNodes.B).get(10, TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .cause()
                    .isInstanceOfSatisfying(
                            ConnectionException.class, e -> assertThat(e.kind()).isEqualTo(Kind.REFUSED))
                    .hasMessageContaining("not among the nodes that this node lets in");
            assertThat(nodes.b().manager().connections()).isEmpty();
            assertThat(nodes.b().recording().ups()).isEmpty();
        }
    }

    @Test
    void whenANodeHasNoRightThenThisNodeMayStillConnectToIt() {
        try (TwoNodes nodes = withRightsOfA(Set.of())) {
            Connection connection = TwoNodes.connect(nodes.b(), TwoNodes.A);
            assertThat(connection.rights()).isEmpty();
            assertThat(nodes.a().manager().connections().get(0).rights()).isEqualTo(EnumSet.allOf(PeerRight.class));
        }
    }

    @Test
    void whenAPeerMayNotPullThenItsReadsEndTheConnectionWhateverKeyItHas() throws Exception {
        assertThat(read(EnumSet.of(PeerRight.PUSH, PeerRight.PUBLISH))).isNotEqualTo(WorkCompletionStatus.SUCCESS);
        assertThat(read(EnumSet.of(PeerRight.PUSH, PeerRight.PULL))).isEqualTo(WorkCompletionStatus.SUCCESS);
    }

    /** A reads from memory of B that a mistake opened to all. */
    private static WorkCompletionStatus read(Set<PeerRight> rights) throws Exception {
        try (TwoNodes nodes = withRightsOfA(rights);
                BufferLease target = nodes.a().pool().acquire(64, "test");
                BufferLease source = nodes.b().pool().acquire(64, "test");
                MemoryRegion open = nodes.b()
                        .device()
                        .protectionDomain()
                        .registerMemory(
                                source.address(), 64, EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ))) {
            Connection connection = nodes.connect();
            Transmission transmission = Sends.begin(connection.lanes().get(0), 1, false);
            transmission.read(target.address(), 64, target.region().lkey(), source.address(), open.rkey());
            return Sends.await(Sends.submit(transmission));
        }
    }

    @Test
    void whenAPeerMayOnlyPullThenItsWritesAreRefusedWhateverKeyItHas() throws Exception {
        try (TwoNodes nodes = withRightsOfA(EnumSet.of(PeerRight.PULL));
                BufferLease source = nodes.a().pool().acquire(64, "test");
                BufferLease target = nodes.b().pool().acquire(64, "test");
                MemoryRegion open = nodes.b()
                        .device()
                        .protectionDomain()
                        .registerMemory(
                                target.address(), 64, EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE))) {
            nodes.b().recording().openNothing();
            Connection connection = nodes.connect();
            Transmission transmission = Sends.begin(connection.lanes().get(0), 1, false);
            transmission.write(source.address(), 64, source.region().lkey(), target.address(), open.rkey());
            assertThat(Sends.await(Sends.submit(transmission))).isNotEqualTo(WorkCompletionStatus.SUCCESS);
        }
    }

    @Test
    void whenConnectionsAreMadeThenPacketNumbersAndSecretsAreNotGuessable() throws UnknownHostException {
        try (TwoNodes nodes = TwoNodes.start()) {
            Set<Integer> numbers = new HashSet<>();
            Set<String> addresses = new HashSet<>();
            int highest = 0;
            for (int i = 0; i < 32; i++) {
                ConnectRequest request = new ConnectRequest(
                        1,
                        UUID.randomUUID().toString(),
                        new NodeIdentity("stranger-" + i, "1"),
                        "soft",
                        new PathOffer(gid("127.0.0.1"), 0, 4096, "SOFTWARE", "ROCE_V2"),
                        List.of(new LaneOffer(
                                0, LanePurpose.CONTROL, 17, 4711, 64, "soft:127.0.0.1:9:" + "ab".repeat(32))));
                LaneOffer lane = nodes.b().manager().connect(request).lanes().get(0);
                numbers.add(lane.psn());
                highest = Math.max(highest, lane.psn());
                addresses.add(lane.providerAddress());
                nodes.b().manager().close(request.connectionId(), "stranger-" + i);
            }
            // Two equal ones of 32 in 24 bits: once in 30,000 runs; all in the lower half: never.
            assertThat(numbers).hasSizeGreaterThan(30);
            assertThat(highest).isGreaterThan(1 << 20);
            assertThat(addresses).hasSize(32).allMatch(address -> address.length() > 64);
        }
    }

    private static String gid(String address) throws UnknownHostException {
        return Gid.of(InetAddress.getByName(address)).toString();
    }

    @ParameterizedTest
    @CsvSource({
        "169.254.169.254, 169.254.169.254",
        "127.0.0.1, 169.254.169.254",
        "127.0.0.1, 10.0.0.9",
        "10.0.0.9, 10.0.0.9",
        "0.0.0.0, 0.0.0.0",
        "224.0.0.1, 224.0.0.1",
        "fe80::1, fe80::1"
    })
    void whenAPeerNamesAnotherHostToCallBackThenItIsRefusedAndNothingIsMade(String gid, String host)
            throws UnknownHostException {
        String address = host.contains(":") ? "[" + host + "]" : host;
        try (TwoNodes nodes = TwoNodes.start()) {
            ConnectRequest request = new ConnectRequest(
                    1,
                    UUID.randomUUID().toString(),
                    new NodeIdentity("stranger", "1"),
                    "soft",
                    new PathOffer(gid(gid), 0, 4096, "SOFTWARE", "ROCE_V2"),
                    List.of(new LaneOffer(
                            0, LanePurpose.CONTROL, 17, 4711, 64, "soft:" + address + ":80:" + "ab".repeat(32))));
            assertThatThrownBy(() -> nodes.b().manager().connect(request))
                    .isInstanceOf(ConnectionException.class)
                    .hasMessageNotContaining("ab".repeat(32));
            assertThat(nodes.b().manager().connections()).isEmpty();
        }
    }

    @Test
    void whenAnotherNodeClosesAConnectionThenItStaysUp() {
        try (TwoNodes nodes = TwoNodes.start()) {
            Connection connection = nodes.connect();
            NegotiationHandler b = nodes.b().manager();
            b.close(connection.id(), "somebody-else");
            b.close(connection.id(), TwoNodes.B);
            b.close(UUID.randomUUID().toString(), TwoNodes.A);
            assertThat(nodes.otherEnd().state()).isEqualTo(ConnectionState.UP);
            b.close(connection.id(), TwoNodes.A);
            assertThat(nodes.b().manager().find(TwoNodes.A)).isNull();
        }
    }
}
