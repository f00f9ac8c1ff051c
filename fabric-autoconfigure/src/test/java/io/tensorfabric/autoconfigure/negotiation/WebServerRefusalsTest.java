package io.tensorfabric.autoconfigure.negotiation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What Tomcat refuses before the negotiation sees it. */
class WebServerRefusalsTest {

    private static NegotiationServer server;

    @BeforeAll
    static void start() {
        server = NegotiationServer.start("responder");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static String send(String line) throws IOException {
        String request = line + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        return RawCalls.socket(server.port(), request.getBytes(StandardCharsets.US_ASCII), Duration.ofSeconds(5));
    }

    @ParameterizedTest
    @CsvSource({
        "TRACE /fabric/v1/node, 405",
        "GET /fabric/v1/..%2fnode, 400",
        "GET /fabric/v1/%zz, 400",
        "GET /fabric/v1/%00, 400"
    })
    void whenTomcatRefusesACallOfTheNegotiationThenItIsAProblemDetailToo(String line, int status) throws IOException {
        String answer = send(line);
        assertThat(answer).startsWith("HTTP/1.1 " + status).contains("application/problem+json");
        assertThat(answer).doesNotContain("<html", "Apache", "Tomcat");
    }

    @Test
    void whenItRefusesAnotherCallThenTheApplicationsPageIsShown() throws IOException {
        assertThat(send("GET /elsewhere/..%2fnode")).startsWith("HTTP/1.1 400").doesNotContain("problem+json");
    }
}
