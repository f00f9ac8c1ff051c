package io.tensorfabric.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorfabric.offheap.OffHeap;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class ByteRingTest {

    private static final int CAPACITY = 1024;

    private static final int TAIL = 0;

    private static final int HEAD = 64;

    private long memory;

    private ByteRing ring;

    private ByteRing.Writer writer;

    private ByteRing.Reader reader;

    @BeforeEach
    void make() {
        memory = OffHeap.allocate(ByteRing.CONTROL + CAPACITY, 4096);
        OffHeap.fill(memory, ByteRing.CONTROL + CAPACITY, (byte) 0);
        ring = new ByteRing(memory, memory + ByteRing.CONTROL, CAPACITY);
        writer = ring.new Writer();
        reader = ring.new Reader();
    }

    @AfterEach
    void free() {
        OffHeap.free(memory);
    }

    private int write(int bytes, int reserved) throws IOException {
        return writer.write(new ByteBuffer[] {ByteBuffer.allocate(bytes)}, 0, 1, reserved);
    }

    private int read(int bytes) throws IOException {
        return reader.read(new ByteBuffer[] {ByteBuffer.allocate(bytes)}, 0, 1);
    }

    @Test
    void whenPiecesOfAnySizeGoThroughThenTheyComeOutInOrder() throws IOException {
        Random random = new Random(7);
        byte[] sent = new byte[200_000];
        random.nextBytes(sent);
        ByteBuffer out = ByteBuffer.allocateDirect(sent.length).put(sent).flip();
        ByteBuffer in = ByteBuffer.allocateDirect(sent.length);
        while (in.hasRemaining()) {
            int first = Math.min(out.remaining(), random.nextInt(700));
            int second = Math.min(out.remaining() - first, random.nextInt(700));
            ByteBuffer[] pieces = {out.slice(out.position(), first), out.slice(out.position() + first, second)};
            out.position(out.position() + writer.write(pieces, 0, 2, 0));
            ByteBuffer target = in.slice(in.position(), Math.min(in.remaining(), random.nextInt(900)));
            in.position(in.position() + reader.read(new ByteBuffer[] {target}, 0, 1));
        }
        byte[] came = new byte[sent.length];
        in.flip().get(came);
        assertThat(came).isEqualTo(sent);
    }

    @Test
    void whenTheRingIsFullThenOnlyTheLastWordsHaveRoom() throws IOException {
        assertThat(write(5000, 24)).isEqualTo(CAPACITY - 24);
        assertThat(write(1, 24)).isZero();
        assertThat(write(100, 0)).isEqualTo(24);
        assertThat(read(5000)).isEqualTo(CAPACITY);
        assertThat(read(1)).isZero();
    }

    @Test
    void whenTheReaderSleepsThenOneWriteIsToWakeIt() throws IOException {
        assertThat(reader.sleep()).isTrue();
        write(1, 0);
        assertThat(writer.takeSleeper()).isTrue();
        write(1, 0);
        assertThat(writer.takeSleeper()).isFalse();
        assertThat(reader.sleep()).as("may sleep with bytes there").isFalse();
    }

    @Test
    void whenTheReaderLooksItselfThenNobodyNeedWakeIt() throws IOException {
        reader.sleep();
        reader.stayAwake();
        write(1, 0);
        assertThat(writer.takeSleeper()).isFalse();
    }

    @Test
    void whenTheWriterWaitsThenOneReadIsToWakeIt() throws IOException {
        assertThat(writer.awaitRoom(0)).as("waits although there is room").isFalse();
        write(CAPACITY, 0);
        assertThat(writer.awaitRoom(0)).isTrue();
        read(1);
        assertThat(reader.takeWaiter()).isTrue();
        read(1);
        assertThat(reader.takeWaiter()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, CAPACITY + 1, Long.MAX_VALUE, Long.MIN_VALUE})
    void whenTheWriterClaimsAnImpossiblePositionThenNothingIsRead(long position) {
        OffHeap.putLong(memory + TAIL, position);
        assertThatThrownBy(() -> read(10)).isInstanceOf(Wire.ProtocolException.class);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, -CAPACITY - 1, Long.MAX_VALUE, Long.MIN_VALUE})
    void whenTheReaderClaimsAnImpossiblePositionThenNothingIsWritten(long position) {
        OffHeap.putLong(memory + HEAD, position);
        assertThatThrownBy(() -> write(10, 0)).isInstanceOf(Wire.ProtocolException.class);
    }

    @Test
    void whenTwoThreadsSleepAndWakeEachOtherThenNoByteIsLostAndNobodyWaitsForEver() throws Exception {
        int total = 3_000_000;
        Object toReader = new Object();
        Thread other = new Thread(() -> {
            try {
                int left = total;
                while (left > 0) {
                    int written = write(Math.min(left, 1 + left % 97), 0);
                    left -= written;
                    if (written > 0 && writer.takeSleeper()) {
                        synchronized (toReader) {
                            toReader.notifyAll();
                        }
                    } else if (written == 0) {
                        Thread.onSpinWait();
                    }
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        other.start();
        int left = total;
        while (left > 0) {
            int taken = read(211);
            left -= taken;
            if (taken == 0) {
                synchronized (toReader) {
                    if (reader.sleep()) {
                        toReader.wait();
                    }
                }
            }
        }
        other.join();
        assertThat(reader.available()).isZero();
    }
}
