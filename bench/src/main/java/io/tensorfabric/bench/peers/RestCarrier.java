package io.tensorfabric.bench.peers;

import java.time.Duration;
import org.springframework.http.MediaType;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.web.client.RestClient;

/** A POST of {@code application/octet-stream} for each block, one at a time. */
final class RestCarrier extends Windowed {

    private final RestClient client;

    private byte[] block = {};

    RestCarrier(int port) {
        JdkClientHttpRequestFactory factory = new JdkClientHttpRequestFactory();
        factory.setReadTimeout(Duration.ofMinutes(2));
        client = RestClient.builder()
                .baseUrl("http://127.0.0.1:" + port)
                .requestFactory(factory)
                .build();
    }

    @Override
    public String name() {
        return "rest";
    }

    @Override
    void send(long size) {
        if (block.length != size) {
            block = new byte[Math.toIntExact(size)];
        }
        client.post()
                .uri(RestSink.PATH)
                .contentType(MediaType.APPLICATION_OCTET_STREAM)
                .body(block)
                .retrieve()
                .toBodilessEntity();
    }

    @Override
    void awaitOne() {
        // The answer to the POST was the acknowledgement.
    }

    @Override
    public void close() {
        // The client's threads are daemons.
    }
}
