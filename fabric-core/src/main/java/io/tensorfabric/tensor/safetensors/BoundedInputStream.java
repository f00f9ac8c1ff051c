package io.tensorfabric.tensor.safetensors;

import java.io.IOException;
import java.io.InputStream;

/** Exactly the next bytes of another stream: never reads beyond them, and refuses to end before them. */
final class BoundedInputStream extends InputStream {

    private final InputStream source;
    private final long length;
    private long left;

    BoundedInputStream(InputStream source, long length) {
        this.source = source;
        this.length = length;
        this.left = length;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int wanted) throws IOException {
        if (wanted == 0) {
            return 0;
        }
        if (left == 0) {
            return -1;
        }
        int count = source.read(target, offset, (int) Math.min(wanted, left));
        if (count < 0) {
            throw new SafetensorsFormatException(
                    "Content ends after " + (length - left) + " of " + length + " bytes of the header");
        }
        left -= count;
        return count;
    }
}
