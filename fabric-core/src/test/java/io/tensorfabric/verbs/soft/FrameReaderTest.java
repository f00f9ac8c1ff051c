package io.tensorfabric.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ScatteringByteChannel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FrameReaderTest {

    private static final int BUDGET = 1 << 20;

    private static final int HEADER = 8;

    private final Copies copies = new Copies();

    private final FrameReader reader = new FrameReader(HEADER, new MemoryAccess(new KeyTable()), copies);

    @AfterEach
    void free() {
        reader.free();
    }

    /** Frames that are no more than headers, whose bytes come from elsewhere: a budget full of them for each. */
    private static final class Copies implements FrameReader.Sink {

        private int frames;

        private int copied;

        @Override
        public int headerBytes(ByteBuffer in) {
            return HEADER;
        }

        @Override
        public int header(ByteBuffer in) {
            in.getLong();
            frames++;
            copied += BUDGET;
            return 0;
        }

        @Override
        public int takeCopied() {
            int now = copied;
            copied = 0;
            return now;
        }

        @Override
        public boolean open(int length) {
            return false;
        }

        @Override
        public void landed(int bytes) {}

        @Override
        public void frameDone() {}

        @Override
        public void memoryGone() {}

        @Override
        public boolean mayRead() {
            return true;
        }

        @Override
        public boolean takeChange() {
            return false;
        }
    }

    /** A sender who is always just one frame ahead. */
    private static final class OneAhead implements ScatteringByteChannel {

        @Override
        public int read(ByteBuffer target) {
            target.putLong(0);
            return HEADER;
        }

        @Override
        public long read(ByteBuffer[] targets, int offset, int length) {
            return read(targets[offset]);
        }

        @Override
        public long read(ByteBuffer[] targets) {
            return read(targets[0]);
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }

    @Test
    void whenMuchWasCopiedThenItIsOthersTurnThoughNothingMoreHasComeYet() throws IOException {
        OneAhead sender = new OneAhead();
        assertThat(reader.read(sender, BUDGET)).isTrue();
        assertThat(copies.frames).isOne();
        assertThat(reader.hasYielded()).isTrue();
        assertThat(reader.read(sender, BUDGET)).isTrue();
        assertThat(copies.frames).isEqualTo(2);
    }
}
