package io.tensorfabric.bench.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class WireTest {

    private static final int SHORT_MILLIS = 200;

    private ServerSocket server;

    private Wire wire;

    @BeforeEach
    void open() throws IOException {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        server = new ServerSocket(0, 10, loopback);
        wire = new Wire(new InetSocketAddress(loopback, 0), new InetSocketAddress(loopback, server.getLocalPort()));
    }

    @AfterEach
    void close() throws IOException {
        wire.close();
        server.close();
    }

    @Test
    void whenNothingIsAskedThenBytesPassBothWaysAndSoDoEnds() throws IOException {
        try (Socket near = connect();
                Socket far = server.accept()) {
            near.getOutputStream().write(1);
            assertThat(far.getInputStream().read()).isOne();
            near.shutdownOutput();
            assertThat(far.getInputStream().read()).isEqualTo(-1);
            far.getOutputStream().write(2);
            assertThat(near.getInputStream().read()).isEqualTo(2);
            far.shutdownOutput();
            assertThat(near.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void whenItIsCutThenBothEndsSeeItAndNewConnectionsPass() throws IOException {
        try (Socket near = connect();
                Socket far = server.accept()) {
            near.getOutputStream().write(1);
            assertThat(far.getInputStream().read()).isOne();

            wire.cut();

            assertThatThrownBy(() -> near.getInputStream().read()).isInstanceOf(IOException.class);
            assertThatThrownBy(() -> far.getInputStream().read()).isInstanceOf(IOException.class);
        }
        try (Socket near = connect();
                Socket far = server.accept()) {
            near.getOutputStream().write(3);
            assertThat(far.getInputStream().read()).isEqualTo(3);
        }
    }

    @Test
    void whenItRefusesThenNewConnectionsBreakUntilItNoLongerDoes() throws IOException {
        wire.refuse(true);
        try (Socket near = connect()) {
            assertThatThrownBy(() -> near.getInputStream().read()).isInstanceOf(IOException.class);
        }
        wire.refuse(false);
        try (Socket near = connect();
                Socket far = server.accept()) {
            near.getOutputStream().write(1);
            assertThat(far.getInputStream().read()).isOne();
        }
    }

    @Test
    void whenItIsStalledThenNothingPassesAndNothingIsLost() throws IOException {
        try (Socket near = connect();
                Socket far = server.accept()) {
            wire.stall(true);
            near.getOutputStream().write(1);
            far.setSoTimeout(SHORT_MILLIS);
            assertThatThrownBy(() -> far.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);

            wire.stall(false);
            far.setSoTimeout(0);
            assertThat(far.getInputStream().read()).isOne();
        }
    }

    @Test
    void whenItDelaysThenBytesAreLate() throws IOException {
        try (Socket near = connect();
                Socket far = server.accept()) {
            wire.delay(SHORT_MILLIS);
            long begin = System.nanoTime();
            near.getOutputStream().write(1);
            assertThat(far.getInputStream().read()).isOne();
            assertThat((System.nanoTime() - begin) / 1_000_000).isGreaterThanOrEqualTo(SHORT_MILLIS);
        }
    }

    private Socket connect() throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), wire.port());
    }
}
