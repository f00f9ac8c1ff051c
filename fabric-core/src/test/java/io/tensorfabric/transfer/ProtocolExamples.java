package io.tensorfabric.transfer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;

/** The recorded messages of docs/protocol.md. */
final class ProtocolExamples {

    private ProtocolExamples() {}

    static byte[] bytes(String name) throws IOException {
        String page = Files.readString(Path.of("..", "docs", "protocol.md"));
        int marker = page.indexOf("<!-- example: " + name + " -->");
        int start = page.indexOf("```", marker) + 3;
        String hex = page.substring(start, page.indexOf("```", start));
        return HexFormat.of().parseHex(hex.replaceAll("\\s", ""));
    }

    static ByteBuffer body(byte... bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    static ByteBuffer empty() {
        return ByteBuffer.allocate(4080).order(ByteOrder.LITTLE_ENDIAN);
    }

    static byte[] written(ByteBuffer body) {
        byte[] bytes = new byte[body.position()];
        body.get(0, bytes);
        return bytes;
    }
}
