package io.tensorfabric.autoconfigure.negotiation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SlowCallersTest {

    private static final int CALLERS = 300;

    private static final String HEAD = "POST /fabric/v1/connections HTTP/1.1\r\nHost: localhost\r\n"
            + "Content-Type: application/json\r\nContent-Length: 3000\r\n\r\n{\"a\": \"a\"";

    /** One byte each; returns how many callers still can. */
    private static int trickle(List<Socket> sockets) {
        int open = 0;
        for (Socket socket : sockets) {
            try {
                if (socket.getInputStream().available() == 0) {
                    socket.getOutputStream().write(' ');
                    open++;
                }
            } catch (IOException ended) {
                // The node has closed it.
            }
        }
        return open;
    }

    @Test
    void whenHundredsSendAByteNowAndThenThenGoodCallsAreAnsweredAndNoThreadWaitsForThem() throws Exception {
        byte[] good = new NegotiationJson().write(FakeNegotiationHandler.request(Clients.SELF));
        List<Socket> sockets = new ArrayList<>();
        try (NegotiationServer server = NegotiationServer.start(
                "responder", "fabric.negotiation.body-timeout=4s", "server.tomcat.threads.max=32")) {
            int threadsBefore = Thread.activeCount();
            for (int i = 0; i < CALLERS; i++) {
                Socket socket = new Socket("127.0.0.1", server.port());
                sockets.add(socket);
                socket.getOutputStream().write(HEAD.getBytes());
            }
            long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
            int answered = 0;
            while (trickle(sockets) > 0) {
                assertThat(System.nanoTime()).as("all slow calls have ended").isLessThan(end);
                long start = System.nanoTime();
                assertThat(RawCalls.unsigned("POST", "/connections", new String(good))
                                .send(server.uri())
                                .statusCode())
                        .isEqualTo(200);
                assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(2));
                answered++;
                assertThat(Thread.activeCount() - threadsBefore).isLessThan(60);
                Thread.sleep(200);
            }
            assertThat(answered).isGreaterThan(5);
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }
}
