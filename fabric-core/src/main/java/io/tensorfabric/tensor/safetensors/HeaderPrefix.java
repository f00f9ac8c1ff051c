package io.tensorfabric.tensor.safetensors;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The eight bytes before the header. */
final class HeaderPrefix {

    private HeaderPrefix() {}

    /** Reads the header's length and compares it with everything it can be compared with, before anything uses it. */
    static long read(InputStream in, long totalBytes, long maxHeaderBytes) throws IOException {
        byte[] prefix = in.readNBytes(SafetensorsHeader.PREFIX_BYTES);
        if (prefix.length < SafetensorsHeader.PREFIX_BYTES) {
            throw new SafetensorsFormatException("Content of " + prefix.length + " bytes is too short for a header");
        }
        long length = ByteBuffer.wrap(prefix).order(ByteOrder.LITTLE_ENDIAN).getLong();
        if (Long.compareUnsigned(length, maxHeaderBytes) > 0) {
            throw new SafetensorsFormatException("Header length " + Long.toUnsignedString(length)
                    + " is above the maximum of " + maxHeaderBytes + " bytes");
        }
        if (totalBytes != SafetensorsHeader.UNKNOWN_LENGTH && length > totalBytes - SafetensorsHeader.PREFIX_BYTES) {
            throw new SafetensorsFormatException(
                    "Header length " + length + " reaches past the end of the content of " + totalBytes + " bytes");
        }
        return length;
    }
}
