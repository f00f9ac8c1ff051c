package io.tensorfabric.interop.onnx;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** The smallest model: one operator from a float input {@code x} of shape [2, 3] to an output {@code y}, as protobuf. */
final class OnnxModel {

    private static final int FLOAT = 1;

    private OnnxModel() {}

    static byte[] of(String operator) {
        byte[] node = join(text(1, "x"), text(2, "y"), text(4, operator));
        byte[] graph = join(bytes(1, node), text(2, "g"), bytes(11, value("x")), bytes(12, value("y")));
        return join(number(1, 8), bytes(7, graph), bytes(8, number(2, 13)));
    }

    private static byte[] value(String name) {
        byte[] shape = join(bytes(1, number(1, 2)), bytes(1, number(1, 3)));
        byte[] tensor = join(number(1, FLOAT), bytes(2, shape));
        return join(text(1, name), bytes(2, bytes(1, tensor)));
    }

    private static byte[] number(int field, int value) {
        return new byte[] {(byte) (field << 3), (byte) value};
    }

    private static byte[] text(int field, String value) {
        return bytes(field, value.getBytes(StandardCharsets.UTF_8));
    }

    private static byte[] bytes(int field, byte[] value) {
        return join(new byte[] {(byte) (field << 3 | 2), (byte) value.length}, value);
    }

    private static byte[] join(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }
}
