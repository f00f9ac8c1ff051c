package io.tensorfabric.bench.peers;

import java.io.IOException;
import java.io.InputStream;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** The receiving end of {@link RestCarrier}: reads the body into an array that it keeps. */
@RestController
class RestSink {

    static final String PATH = "/bench/blocks";

    private static final ThreadLocal<byte[]> BUFFER = ThreadLocal.withInitial(() -> new byte[1 << 16]);

    @PostMapping(PATH)
    ResponseEntity<Void> take(InputStream body) throws IOException {
        byte[] buffer = BUFFER.get();
        int got = 0;
        while (got >= 0) {
            got = body.read(buffer);
        }
        return ResponseEntity.noContent().build();
    }
}
