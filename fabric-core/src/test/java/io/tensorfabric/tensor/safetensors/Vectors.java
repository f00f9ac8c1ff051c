package io.tensorfabric.tensor.safetensors;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Builds small files by hand, right and wrong ones. */
final class Vectors {

    private Vectors() {}

    /** A file of this header, with its true length before it, and data of that many zero bytes. */
    static byte[] file(String header, int dataBytes) {
        return file(header.getBytes(StandardCharsets.UTF_8), dataBytes);
    }

    static byte[] file(byte[] header, int dataBytes) {
        return prefixed(header.length, header, dataBytes);
    }

    /** A file that claims some header length. */
    static byte[] prefixed(long length, byte[] header, int dataBytes) {
        return ByteBuffer.allocate(8 + header.length + dataBytes)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(length)
                .put(header)
                .array();
    }

    static SafetensorsHeader parse(byte[] file) throws IOException {
        return SafetensorsHeader.read(new ByteArrayInputStream(file), file.length);
    }

    static String entry(String name, String dtype, String shape, String offsets) {
        return "\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape + ",\"data_offsets\":" + offsets
                + "}";
    }
}
