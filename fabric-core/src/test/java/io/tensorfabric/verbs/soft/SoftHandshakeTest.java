package io.tensorfabric.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.verbs.Opcode;
import io.tensorfabric.verbs.PathAddress;
import io.tensorfabric.verbs.QueuePairState;
import io.tensorfabric.verbs.WorkCompletionStatus;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who does not know the secrets gets nothing. */
@Timeout(60)
class SoftHandshakeTest {

    private static final byte[] ANY = new byte[2 * SoftAddress.SECRET_LENGTH];

    private End a;
    private End b;

    @BeforeEach
    void open() {
        a = new End(SoftDeviceOptions.defaults().withName("softA"), 1 << 16);
        b = new End(SoftDeviceOptions.defaults().withName("softB"), 1 << 16);
        a.retryCount = 1;
    }

    @AfterEach
    void close() {
        a.close();
        b.close();
    }

    private Socket dialB() throws IOException {
        SoftAddress address = SoftAddress.parse(b.pair.providerAddress());
        Socket socket =
                new Socket(address.endpoint().getAddress(), address.endpoint().getPort());
        socket.setSoTimeout(8_000);
        return socket;
    }

    private static byte[] read(Socket socket, int length) throws IOException {
        return socket.getInputStream().readNBytes(length);
    }

    private static void assertClosedInSilence(Socket socket) throws IOException {
        int next;
        try {
            next = socket.getInputStream().read();
        } catch (java.net.SocketException reset) {
            next = -1;
        }
        assertThat(next).isEqualTo(-1);
    }

    private void assertStillWorks() {
        a.post(77, Opcode.RDMA_WRITE, 0, 8, b, 0);
        a.expect(77, WorkCompletionStatus.SUCCESS);
    }

    @Test
    void whenAnotherProtocolIsSpokenThenTheSocketIsClosedInSilence() throws IOException {
        End.connect(a, b);
        try (Socket socket = dialB()) {
            socket.getOutputStream().write(new byte[Handshake.HELLO]);
            assertClosedInSilence(socket);
        }
        assertStillWorks();
    }

    @Test
    void whenTheVersionIsUnknownThenTheSocketIsClosedInSilence() throws IOException {
        End.connect(a, b);
        try (Socket socket = dialB()) {
            ByteBuffer hello = Handshake.hello(b.pair.number(), a.pair.number());
            hello.putShort(4, (short) (Wire.VERSION + 1)).putShort(6, (short) 9);
            socket.getOutputStream().write(hello.array());
            assertClosedInSilence(socket);
        }
    }

    @Test
    void whenTheProofIsWrongThenTheSocketIsClosedInSilence() throws IOException {
        End.connect(a, b);
        assertStillWorks();
        for (int number : new int[] {b.pair.number(), b.pair.number() ^ 1}) {
            try (Socket socket = dialB()) {
                ByteBuffer hello = Handshake.hello(number, a.pair.number());
                socket.getOutputStream().write(hello.array());
                ByteBuffer challenge = ByteBuffer.wrap(read(socket, Handshake.CHALLENGE));
                assertThat(challenge.capacity()).isEqualTo(Handshake.CHALLENGE);
                ByteBuffer proof =
                        Handshake.proof(ANY, hello, challenge, new Handshake.Proof(End.SEND_PSN_A, 4096, 1, 0));
                socket.getOutputStream().write(proof.array());
                assertClosedInSilence(socket);
            }
        }
        assertStillWorks();
    }

    @Test
    void whenNothingIsSaidThenTheSocketIsClosedAfterTwoSeconds() throws IOException {
        try (Socket socket = dialB()) {
            long start = System.nanoTime();
            assertClosedInSilence(socket);
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .isBetween(Duration.ofMillis(1500), Duration.ofSeconds(6));
        }
    }

    @Test
    void whenManyConnectAndSayNothingThenOthersStillConnect() throws IOException {
        List<Socket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < 400; i++) {
                sockets.add(dialB());
            }
            End.connect(a, b);
            assertStillWorks();
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    @Test
    void whenTheSecretIsAnotherThenTheRetriesRunOut() {
        PathAddress path = End.pathTo(b.pair, b.context);
        String address = path.providerAddress();
        char last = address.charAt(address.length() - 1);
        String forged = address.substring(0, address.length() - 1) + (last == '0' ? '1' : '0');
        a.init();
        b.init();
        a.readyToReceive(new PathAddress(path.gid(), 0, 0, 0, 0, 64, forged), b.pair.number(), End.SEND_PSN_B);
        b.readyToReceive(End.pathTo(a.pair, a.context), a.pair.number(), End.SEND_PSN_A);
        a.readyToSend(End.SEND_PSN_A);
        a.post(1, Opcode.RDMA_WRITE, 0, 8, b, 0);
        a.expect(1, WorkCompletionStatus.RETRY_EXC_ERR);
        assertThat(a.pair.state()).isEqualTo(QueuePairState.ERR);
        assertThat(b.pair.state()).isEqualTo(QueuePairState.RTR);
    }

    @Test
    void whenThePacketSequenceNumberIsAnotherThenTheRetriesRunOut() {
        a.init();
        b.init();
        a.readyToReceive(End.pathTo(b.pair, b.context), b.pair.number(), End.SEND_PSN_B);
        b.readyToReceive(End.pathTo(a.pair, a.context), a.pair.number(), End.SEND_PSN_A + 1);
        a.readyToSend(End.SEND_PSN_A);
        a.post(1, Opcode.RDMA_WRITE, 0, 8, b, 0);
        a.expect(1, WorkCompletionStatus.RETRY_EXC_ERR);
    }

    @Test
    void whenThePeerExpectsAnotherQueuePairThenTheRetriesRunOut() {
        a.init();
        b.init();
        a.readyToReceive(End.pathTo(b.pair, b.context), b.pair.number(), End.SEND_PSN_B);
        b.readyToReceive(End.pathTo(b.pair, b.context), b.pair.number(), End.SEND_PSN_A);
        a.readyToSend(End.SEND_PSN_A);
        a.post(1, Opcode.RDMA_WRITE, 0, 8, b, 0);
        a.expect(1, WorkCompletionStatus.RETRY_EXC_ERR);
    }

    @Test
    void whenPrintedThenNothingShowsTheSecret() {
        String address = b.pair.providerAddress();
        String secret = address.substring(address.lastIndexOf(':') + 1);
        End.connect(a, b);
        assertThat(SoftAddress.parse(address).toString()).doesNotContain(secret);
        assertThat(a.pair.query().toString()).doesNotContain(secret);
        assertThat(b.pair.toString()).doesNotContain(secret);
    }
}
