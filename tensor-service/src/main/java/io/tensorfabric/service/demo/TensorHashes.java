package io.tensorfabric.service.demo;

import io.tensorfabric.tensor.safetensors.SafetensorsEntry;
import io.tensorfabric.tensor.safetensors.SafetensorsHeader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;

/** SHA-256 of every tensor of a safetensors stream, in constant memory. */
final class TensorHashes {

    private static final int BUFFER = 1 << 20;

    private TensorHashes() {}

    /** Reads a whole stream; answers name to data type, shape and hash as one text. */
    static Map<String, String> of(InputStream in, long totalBytes) throws IOException {
        SafetensorsHeader header = SafetensorsHeader.read(in, totalBytes);
        Map<String, String> hashes = new LinkedHashMap<>();
        byte[] buffer = new byte[BUFFER];
        for (SafetensorsEntry entry : header.entries()) {
            String hash = hash(in, entry.byteLength(), buffer);
            hashes.put(
                    entry.name(),
                    entry.descriptor().dataType() + " " + entry.descriptor().shape() + " " + hash);
        }
        return hashes;
    }

    private static String hash(InputStream in, long bytes, byte[] buffer) throws IOException {
        MessageDigest digest = sha256();
        long left = bytes;
        while (left > 0) {
            int read = in.read(buffer, 0, (int) Math.min(buffer.length, left));
            if (read < 0) {
                throw new EOFException("the file ended " + left + " bytes early");
            }
            digest.update(buffer, 0, read);
            left -= read;
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException ex) {
            throw new IllegalStateException("Every Java platform has SHA-256", ex);
        }
    }
}
