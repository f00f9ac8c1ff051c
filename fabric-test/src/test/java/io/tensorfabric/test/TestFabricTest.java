package io.tensorfabric.test;

import static io.tensorfabric.test.FabricAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tensorfabric.annotation.TensorHeader;
import io.tensorfabric.annotation.TensorListener;
import io.tensorfabric.connection.PeerDirectory;
import io.tensorfabric.listener.AckMode;
import io.tensorfabric.listener.TensorListenerEndpointRegistry;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.transfer.Acknowledgment;
import io.tensorfabric.transfer.PushSpec;
import io.tensorfabric.transfer.ReceiptLevel;
import io.tensorfabric.transfer.TensorTransferService;
import io.tensorfabric.transfer.TransferException;
import io.tensorfabric.transfer.TransferException.Kind;
import io.tensorfabric.transfer.TransferReceipt;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An application without a web server, an address or a secret, and its two test peers. */
@Timeout(60)
@SpringBootTest(properties = "fabric.peers=ranker=https://ranker:8443,store=https://store:8443")
@AutoConfigureTestFabric
class TestFabricTest {

    @Autowired
    TensorTransferService transfers;

    @Autowired
    FabricTestPeer ranker;

    @Autowired
    FabricTestPeer store;

    @Autowired
    Listeners listeners;

    @Autowired
    TensorListenerEndpointRegistry registry;

    @Autowired
    PeerDirectory peers;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        Listeners listeners() {
            return new Listeners();
        }
    }

    static class Listeners {

        final BlockingQueue<String> seen = new LinkedBlockingQueue<>();

        final BlockingQueue<Acknowledgment> answers = new LinkedBlockingQueue<>();

        @TensorListener(id = "automatic", names = "automatic/*", concurrency = "1")
        void automatic(Tensor tensor, @TensorHeader int step, byte[] bytes) {
            seen.add(tensor.name() + " " + step + " " + bytes[0]);
        }

        @TensorListener(names = "manual/*", ack = AckMode.MANUAL)
        void manual(Acknowledgment acknowledgment) {
            answers.add(acknowledgment);
        }
    }

    private static Tensor tensor(String name) {
        return Tensor.copyOf(name, DataType.U8, Shape.of(3), new byte[] {1, 2, 3});
    }

    private PushSpec toRanker() {
        return transfers.to("ranker").receipt(ReceiptLevel.PROCESSED).deadline(Duration.ofSeconds(20));
    }

    private static void push(PushSpec spec, String name) {
        try (Tensor tensor = tensor(name)) {
            spec.pushAndWait(tensor);
        }
    }

    private static TransferException failure(PushSpec spec) {
        return catchThrowableOfType(TransferException.class, () -> push(spec, "t"));
    }

    @Test
    void whenTheApplicationPushesThenThePeerHasTheTensor() {
        try (Tensor tensor = tensor("embeddings/batch")) {
            transfers.to("ranker").header("step", "7").pushAndWait(tensor);
            CapturedTensor captured = ranker.awaitTensor();
            assertThat(captured)
                    .hasName("embeddings/batch")
                    .hasHeader("step", "7")
                    .hasShape(3)
                    .hasBytes((byte) 1, (byte) 2, (byte) 3)
                    .hasSameContentAs(tensor);
        }
        assertThat(ranker.received()).hasSize(1);
        assertThat(store.received()).isEmpty();
    }

    @Test
    void whenAPeerIsResetThenItIsAsAtFirst() {
        push(toRanker(), "before");
        CapturedTensor before = ranker.awaitTensor();
        ranker.failNext(new IllegalStateException("left over"))
                .delay(Duration.ofMinutes(1))
                .pause()
                .unreachable();
        ranker.reset();
        assertThat(before.tensor()).isClosed();
        assertThat(ranker.received()).isEmpty();
        push(toRanker(), "after");
        assertThat(ranker.awaitTensor()).hasName("after");
    }

    @Test
    void whenThePeerFailsOrRefusesThenTheApplicationHearsSo() {
        ranker.failNext(new IllegalStateException("no model"))
                .refuseNext("full", true)
                .refuseNext("not mine", false);
        assertThat(failure(toRanker()))
                .hasMessageContaining("no model")
                .extracting(TransferException::kind)
                .isEqualTo(Kind.LISTENER_FAILED);
        assertThat(failure(toRanker()).kind()).isEqualTo(Kind.BACKPRESSURE);
        assertThat(failure(toRanker()).kind()).isEqualTo(Kind.REJECTED);
        assertThat(ranker.received()).isEmpty();
        ranker.pause();
        assertThat(failure(transfers.to("ranker")).kind()).isEqualTo(Kind.BACKPRESSURE);
        ranker.resume();
        push(toRanker(), "t");
    }

    @Test
    void whenThePeerIsSlowThenTheDeadlinePasses() {
        push(toRanker(), "connects");
        ranker.delay(Duration.ofSeconds(3));
        assertThat(failure(toRanker().deadline(Duration.ofMillis(500))).kind()).isEqualTo(Kind.DEADLINE);
    }

    @Test
    void whenThePeerDisconnectsThenThePushIsTriedAgainAndArrivesOnce() {
        push(toRanker(), "first");
        ranker.disconnect();
        push(toRanker(), "second");
        assertThat(ranker.received()).extracting(CapturedTensor::name).containsExactly("first", "second");
    }

    @Test
    void whenThePeerIsUnreachableThenItIsLostUntilItIsBack() {
        ranker.unreachable();
        assertThat(failure(toRanker()).kind()).isEqualTo(Kind.PEER_LOST);
        push(transfers.to("store").receipt(ReceiptLevel.PROCESSED), "other");
        ranker.reachable();
        push(toRanker(), "back");
        assertThat(ranker.awaitTensor()).hasName("back");
    }

    @Test
    void whenThePeerPushesThenTheListenerOfTheApplicationGetsIt() throws Exception {
        push(ranker.toApplication().header("step", "9").receipt(ReceiptLevel.PROCESSED), "automatic/1");
        assertThat(listeners.seen.poll(10, TimeUnit.SECONDS)).isEqualTo("automatic/1 9 1");
    }

    @Test
    void whenTheListenerAcknowledgesLaterThenThePeerHasItsReceiptThen() throws Exception {
        try (Tensor tensor = tensor("manual/1")) {
            CompletableFuture<TransferReceipt> push =
                    store.toApplication().receipt(ReceiptLevel.PROCESSED).push(tensor);
            Acknowledgment answer = listeners.answers.poll(10, TimeUnit.SECONDS);
            assertThat(push).isNotDone();
            answer.acknowledge();
            assertThat(push).succeedsWithin(Duration.ofSeconds(10));
        }
    }

    @Test
    void whenAListenerOfTheApplicationIsPausedThenThePeerHearsOfBackpressure() {
        registry.container("automatic").pause();
        try {
            TransferException refused =
                    catchThrowableOfType(TransferException.class, () -> push(ranker.toApplication(), "automatic/2"));
            assertThat(refused.kind()).isEqualTo(Kind.BACKPRESSURE);
        } finally {
            registry.container("automatic").resume();
        }
    }

    @Test
    void whenNothingComesThenTheErrorSaysWhatDid() {
        push(toRanker(), "only");
        ranker.awaitTensor();
        assertThatThrownBy(() -> ranker.awaitTensor(Duration.ofMillis(50)))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("'ranker'")
                .hasMessageContaining("[only]");
    }

    @Test
    void whenTheApplicationHasPeersThenTestPeersTakeTheirPlaces() {
        assertThat(peers.peers()).extracting(peer -> peer.name()).containsExactly("ranker", "store");
        assertThat(failure(transfers.to("nobody")).kind()).isEqualTo(Kind.UNKNOWN_PEER);
    }
}
