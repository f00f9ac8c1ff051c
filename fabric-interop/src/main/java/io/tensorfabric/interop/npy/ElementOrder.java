package io.tensorfabric.interop.npy;

import io.tensorfabric.tensor.DataType;
import java.nio.ByteBuffer;

/** Turns round the bytes of elements, in place. */
final class ElementOrder {

    private ElementOrder() {}

    /** All that remains, which is whole elements of 2, 4 or 8 bytes; of complex numbers each part is turned round. */
    static void reverse(ByteBuffer bytes, DataType type) {
        int width = type == DataType.C64 ? Float.BYTES : type.bits() / Byte.SIZE;
        for (int i = bytes.position(); i < bytes.limit(); i += width) {
            switch (width) {
                case Short.BYTES -> bytes.putShort(i, Short.reverseBytes(bytes.getShort(i)));
                case Integer.BYTES -> bytes.putInt(i, Integer.reverseBytes(bytes.getInt(i)));
                default -> bytes.putLong(i, Long.reverseBytes(bytes.getLong(i)));
            }
        }
    }
}
