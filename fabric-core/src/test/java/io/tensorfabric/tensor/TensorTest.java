package io.tensorfabric.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorfabric.offheap.OffHeap;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TensorTest {

    private long allocatedBefore;

    @BeforeEach
    void remember() {
        allocatedBefore = OffHeap.allocatedBytes();
    }

    @AfterEach
    void nothingLeaks() {
        assertThat(OffHeap.allocatedBytes()).isLessThanOrEqualTo(allocatedBefore);
    }

    @Test
    void whenCopiedThenBitsAreUnchanged() {
        byte[] bits = HexFormat.of().parseHex("803f4940c17f0080010080ff");
        try (Tensor tensor = Tensor.copyOf("b", DataType.BF16, Shape.of(6), bits)) {
            assertThat(bytes(tensor)).isEqualTo(bits);
            assertThat(tensor.dataType()).isEqualTo(DataType.BF16);
            assertThat(tensor.byteLength()).isEqualTo(12);
        }
    }

    @Test
    void whenRankIsZeroThenOneElementOfBytes() {
        byte[] bits = ByteBuffer.allocate(4)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putFloat(1.5f)
                .array();
        try (Tensor tensor = Tensor.copyOf("s", DataType.F32, Shape.of(), bits)) {
            assertThat(bytes(tensor)).containsExactly(0, 0, 0xC0, 0x3F);
            assertThat(tensor.shape().rank()).isZero();
        }
    }

    @Test
    void whenEmptyThenNoBytesButAShape() {
        try (Tensor tensor = Tensor.copyOf("e", DataType.F32, Shape.of(1, 8, 0, 128), new byte[0])) {
            assertThat(tensor.byteLength()).isZero();
            assertThat(tensor.asByteBuffer().hasRemaining()).isFalse();
            assertThat(tensor.shape()).hasToString("[1, 8, 0, 128]");
        }
    }

    @Test
    void whenLengthDoesNotMatchThenRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Tensor.copyOf("x", DataType.F32, Shape.of(3), new byte[11]))
                .withMessageContaining("needs 12 bytes, but 11");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Tensor.wrap("x", DataType.U8, Shape.of(3), ByteBuffer.allocateDirect(4)));
    }

    @Test
    void whenDirectBufferHasPositionOrIsAViewThenItsOwnBytesAreTaken() {
        ByteBuffer base = counted(ByteBuffer.allocateDirect(64)).position(16).limit(32);
        assertTakes16To31(base, buffer -> buffer);
        assertTakes16To31(base, ByteBuffer::slice);
        assertTakes16To31(base, ByteBuffer::duplicate);
        assertTakes16To31(base, buffer -> buffer.duplicate().order(ByteOrder.BIG_ENDIAN));
        assertTakes16To31(base, ByteBuffer::asReadOnlyBuffer);
    }

    private static void assertTakes16To31(ByteBuffer base, UnaryOperator<ByteBuffer> view) {
        ByteBuffer buffer = view.apply(base);
        int position = buffer.position();
        int limit = buffer.limit();
        try (Tensor wrapped = Tensor.wrap("w", DataType.U8, Shape.of(16), buffer);
                Tensor copied = Tensor.copyOf("c", DataType.U8, Shape.of(16), buffer)) {
            assertThat(bytes(wrapped)).isEqualTo(range(16, 32));
            assertThat(bytes(copied)).isEqualTo(range(16, 32));
            assertThat(wrapped.isReadOnly()).isEqualTo(buffer.isReadOnly());
            assertThat(wrapped.asByteBuffer().isReadOnly()).isEqualTo(buffer.isReadOnly());
        }
        assertThat(buffer.position()).isEqualTo(position);
        assertThat(buffer.limit()).isEqualTo(limit);
    }

    @Test
    void whenHeapBufferHasAnOffsetThenCopyTakesItsOwnBytesAndWrapRefuses() {
        ByteBuffer slice =
                counted(ByteBuffer.allocate(64)).position(5).limit(21).slice();
        assertThat(slice.arrayOffset()).isEqualTo(5);
        try (Tensor tensor = Tensor.copyOf("h", DataType.U8, Shape.of(16), slice)) {
            assertThat(bytes(tensor)).isEqualTo(range(5, 21));
        }
        assertThatIllegalArgumentException().isThrownBy(() -> Tensor.wrap("h", DataType.U8, Shape.of(16), slice));
    }

    @Test
    void whenTransposedThenPackedInLogicalOrder() {
        ByteBuffer base = ByteBuffer.allocateDirect(24).order(ByteOrder.nativeOrder());
        for (int value = 1; value <= 6; value++) {
            base.putInt(value);
        }
        base.flip();
        try (Tensor tensor = Tensor.ofStrided("t", DataType.I32, Shape.of(3, 2), new long[] {1, 3}, base)) {
            int[] values = new int[6];
            tensor.asByteBuffer().asIntBuffer().get(values);
            assertThat(values).containsExactly(1, 4, 2, 5, 3, 6);
        }
        assertThat(base.position()).isZero();
    }

    @Test
    void whenEverySecondElementThenPacked() {
        for (ByteBuffer base : new ByteBuffer[] {
            counted(ByteBuffer.allocateDirect(8)),
            counted(ByteBuffer.allocate(8)),
            counted(ByteBuffer.allocate(8)).asReadOnlyBuffer()
        }) {
            try (Tensor tensor = Tensor.ofStrided("s", DataType.U8, Shape.of(4), new long[] {2}, base)) {
                assertThat(bytes(tensor)).containsExactly(0, 2, 4, 6);
            }
        }
    }

    @Test
    void whenChannelsLastThenPackedByRuns() {
        ByteBuffer base = counted(ByteBuffer.allocateDirect(24));
        // 2 channels, 3 rows, 4 columns, stored as rows, columns, channels.
        try (Tensor tensor = Tensor.ofStrided("i", DataType.U8, Shape.of(2, 3, 4), new long[] {1, 8, 2}, base)) {
            byte[] packed = bytes(tensor);
            for (int i = 0; i < 24; i++) {
                assertThat(packed[i]).isEqualTo((byte) (i / 12 + (i % 12) * 2));
            }
        }
        // Rows of a padded image: whole rows are runs.
        try (Tensor tensor = Tensor.ofStrided("r", DataType.U8, Shape.of(3, 1, 4), new long[] {8, 55, 1}, base)) {
            assertThat(bytes(tensor)).containsExactly(0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19);
        }
    }

    @Test
    void whenStridedElementsCannotBeReadThenRefused() {
        ByteBuffer base = ByteBuffer.allocateDirect(8);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Tensor.ofStrided("s", DataType.U8, Shape.of(5), new long[] {2}, base))
                .withMessageContaining("reaches over 9 bytes");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Tensor.ofStrided("s", DataType.U8, Shape.of(2), new long[] {-1}, base));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Tensor.ofStrided("s", DataType.F4, Shape.of(2, 2), new long[] {1, 2}, base))
                .withMessageContaining("not contiguous");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Tensor.ofStrided(
                        "s", DataType.U8, Shape.of(2, 2), new long[] {Long.MAX_VALUE, Long.MAX_VALUE}, base));
    }

    @Test
    void whenEmptyAndStridesAreNonsenseThenAccepted() {
        long[] strides = {0, 0, 0, 0};
        try (Tensor tensor =
                Tensor.ofStrided("e", DataType.F32, Shape.of(1, 8, 0, 128), strides, ByteBuffer.allocate(0))) {
            assertThat(tensor.byteLength()).isZero();
        }
    }

    @Test
    void whenClosedThenOwnerIsClosedOnceAndUseIsRefused() {
        AtomicInteger closes = new AtomicInteger();
        TensorDescriptor descriptor = new TensorDescriptor("o", DataType.U8, Shape.of(8));
        Tensor tensor = Tensor.of(descriptor, 4096, closes::incrementAndGet);
        tensor.close();
        tensor.close();
        assertThat(closes).hasValue(1);
        assertThat(tensor.isClosed()).isTrue();
        assertThatIllegalStateException().isThrownBy(tensor::address).withMessageContaining("'o' is closed");
        assertThatIllegalStateException().isThrownBy(() -> tensor.asByteBuffer(0, 1));
        assertThat(tensor).hasToString("Tensor[o, U8, [8], 8 bytes, host, closed]");
    }

    @Test
    void whenOwnerFailsThenTheCauseIsKept() {
        TensorDescriptor descriptor = new TensorDescriptor("o", DataType.U8, Shape.of(8));
        Tensor tensor = Tensor.of(descriptor, 4096, () -> {
            throw new IOException("pool is gone");
        });
        assertThatIllegalStateException()
                .isThrownBy(tensor::close)
                .withCauseInstanceOf(IOException.class)
                .withMessageContaining("'o'");
        Tensor.of(descriptor, 4096, null).close();
        assertThatIllegalArgumentException().isThrownBy(() -> Tensor.of(descriptor, 0, null));
    }

    @Test
    void whenPartIsOutsideThenRefused() {
        try (Tensor tensor = Tensor.allocate(new TensorDescriptor("p", DataType.U8, Shape.of(8)))) {
            assertThat(tensor.asByteBuffer(6, 2).capacity()).isEqualTo(2);
            assertThatThrownBy(() -> tensor.asByteBuffer(6, 3)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> tensor.asByteBuffer(-1, 3)).isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void whenNameIsTooLongOrBrokenThenRefused() {
        new TensorDescriptor("x".repeat(1024), DataType.U8, Shape.of());
        new TensorDescriptor("\uD83D\uDE00".repeat(256), DataType.U8, Shape.of());
        for (String name : new String[] {"x".repeat(1025), "\u00e4".repeat(513), "\uD83D\uDE00".repeat(257)}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new TensorDescriptor(name, DataType.U8, Shape.of()))
                    .withMessageContaining("1024");
        }
        for (String name : new String[] {"a\uD83D", "\uDE00b", "\uDE00\uD83D"}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new TensorDescriptor(name, DataType.U8, Shape.of()))
                    .withMessageContaining("surrogate");
        }
    }

    private static byte[] bytes(Tensor tensor) {
        byte[] bytes = new byte[(int) tensor.byteLength()];
        tensor.asByteBuffer().get(bytes);
        return bytes;
    }

    private static ByteBuffer counted(ByteBuffer buffer) {
        while (buffer.hasRemaining()) {
            buffer.put((byte) buffer.position());
        }
        return buffer.flip();
    }

    private static byte[] range(int from, int to) {
        byte[] bytes = new byte[to - from];
        for (int i = from; i < to; i++) {
            bytes[i - from] = (byte) i;
        }
        return bytes;
    }
}
