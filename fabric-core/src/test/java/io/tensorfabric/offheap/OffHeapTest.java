package io.tensorfabric.offheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OffHeapTest {

    /** A heap of its own, whose gauge nobody else moves. */
    private final NativeHeap heap = new NativeHeap(NativeHandles.choose());

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 7, 4095, 4096, (2L << 20) - 1, 2L << 20, (2L << 20) + 1, 16L << 20})
    void whenAllocatedThenAlignedAndWritableAtBothEndsAndCounted(long bytes) {
        for (long alignment = 8; alignment <= 4L << 20; alignment *= 8) {
            long address = heap.allocate(bytes, alignment);
            assertThat(address).isPositive();
            assertThat(address % alignment).isZero();
            assertThat(heap.liveBytes()).isEqualTo(bytes);
            if (bytes > 0) {
                OffHeap.putByte(address, (byte) 1);
                OffHeap.putByte(address + bytes - 1, (byte) 2);
                assertThat(OffHeap.getByte(address + bytes - 1)).isEqualTo((byte) 2);
            }
            heap.free(address);
            assertThat(heap.liveBytes()).isZero();
        }
    }

    @Test
    void whenLargeThenPageAligned() {
        long address = OffHeap.allocate(3L << 20, 8);
        assertThat(address % OffHeap.pageSize()).isZero();
        OffHeap.free(address);
    }

    @Test
    void whenOver2GiBThenAddressableAtItsEnd() {
        long bytes = (1L << 31) + 5;
        long address = OffHeap.allocate(bytes, 4096);
        OffHeap.putByte(address + bytes - 1, (byte) 0x15);
        assertThat(OffHeap.getByte(address + bytes - 1)).isEqualTo((byte) 0x15);
        OffHeap.free(address);
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MAX_VALUE, Long.MAX_VALUE - 8192, 1L << 62, 1L << 55})
    void whenMoreThanTheSystemHasThenExceptionNamesTheBytes(long bytes) {
        assertThatThrownBy(() -> OffHeap.allocate(bytes, 8))
                .isInstanceOf(OffHeapAllocationException.class)
                .hasMessageContaining(bytes + " bytes");
    }

    @Test
    void whenArgumentsAreOutOfRangeThenRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> OffHeap.allocate(-1, 8));
        assertThatIllegalArgumentException().isThrownBy(() -> OffHeap.allocate(1, 4));
        assertThatIllegalArgumentException().isThrownBy(() -> OffHeap.allocate(1, 24));
        long address = OffHeap.allocate(8, 8);
        assertThatIllegalArgumentException().isThrownBy(() -> OffHeap.copy(address, address, -1));
        assertThatIllegalArgumentException().isThrownBy(() -> OffHeap.fill(address, -1, (byte) 0));
        assertThatIllegalArgumentException().isThrownBy(() -> OffHeap.asByteBuffer(address, -1));
        assertThatThrownBy(() -> OffHeap.copyFromArray(new byte[4], 1, address, 4))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> OffHeap.copyToArray(address, new byte[4], -1, 2))
                .isInstanceOf(IndexOutOfBoundsException.class);
        OffHeap.free(address);
    }

    @Test
    void whenFreedTwiceThenRefusedRatherThanCrashing() {
        long address = OffHeap.allocate(64, 64);
        OffHeap.free(address);
        assertThatIllegalArgumentException().isThrownBy(() -> OffHeap.free(address));
        assertThatIllegalArgumentException().isThrownBy(() -> OffHeap.free(12345));
    }

    @Test
    void whenUnalignedThenValuesAreInNativeOrder() {
        long address = OffHeap.allocate(32, 8);
        OffHeap.putInt(address + 1, 0x01020304);
        OffHeap.putLong(address + 7, 0x1112131415161718L);
        ByteBuffer view = OffHeap.asByteBuffer(address, 32);
        assertThat(view.order()).isEqualTo(ByteOrder.nativeOrder());
        assertThat(view.getInt(1)).isEqualTo(0x01020304).isEqualTo(OffHeap.getInt(address + 1));
        assertThat(view.getLong(7)).isEqualTo(0x1112131415161718L).isEqualTo(OffHeap.getLong(address + 7));
        OffHeap.free(address);
    }

    @Test
    void whenRangesOverlapThenCopyIsRight() {
        long address = OffHeap.allocate(256, 8);
        byte[] counted = counted(128);
        OffHeap.copyFromArray(counted, 0, address, 128);
        OffHeap.copy(address, address + 3, 100);
        byte[] moved = new byte[102];
        OffHeap.copyToArray(address + 3, moved, 2, 100);
        for (int i = 0; i < 100; i++) {
            assertThat(moved[i + 2]).isEqualTo((byte) i);
        }
        OffHeap.fill(address, 256, (byte) 0x5a);
        assertThat(OffHeap.getLong(address + 248)).isEqualTo(0x5a5a5a5a5a5a5a5aL);
        OffHeap.free(address);
    }

    @Test
    void whenViewedAsBufferThenItReadsWritesAndDuplicatesLikeAny() {
        long address = OffHeap.allocate(64, 8);
        ByteBuffer view = OffHeap.asByteBuffer(address, 64);
        assertThat(view.isDirect()).isTrue();
        assertThat(view.capacity()).isEqualTo(64);
        assertThat(view.remaining()).isEqualTo(64);
        view.put(counted(64)).flip();
        ByteBuffer slice = view.slice(16, 16);
        assertThat(OffHeap.addressOf(slice)).isEqualTo(address + 16);
        assertThat(slice.get(3)).isEqualTo((byte) 19);
        assertThat(ByteBuffer.allocate(64).put(view).get(63)).isEqualTo((byte) 63);
        assertThat(OffHeap.asByteBuffer(address, 0).hasRemaining()).isFalse();
        OffHeap.free(address);
    }

    @Test
    void whenBufferHasPositionOrIsAViewThenAddressIsThatOfItsPosition() {
        ByteBuffer base = ByteBuffer.allocateDirect(64);
        base.put(counted(64)).position(16).limit(32);
        long expected = OffHeap.addressOf(base);
        assertThat(OffHeap.getByte(expected)).isEqualTo((byte) 16);
        assertThat(OffHeap.addressOf(base.slice())).isEqualTo(expected);
        assertThat(OffHeap.addressOf(base.duplicate())).isEqualTo(expected);
        assertThat(OffHeap.addressOf(base.duplicate().order(ByteOrder.LITTLE_ENDIAN)))
                .isEqualTo(expected);
        assertThat(OffHeap.addressOf(base.asReadOnlyBuffer())).isEqualTo(expected);
        assertThat(OffHeap.addressOf(base.duplicate().position(32))).isEqualTo(expected + 16);
        assertThat(base.position()).isEqualTo(16);
        assertThat(base.limit()).isEqualTo(32);
    }

    @Test
    void whenBufferIsOnTheHeapThenRefused() {
        ByteBuffer heap = ByteBuffer.allocate(64).position(5).slice();
        assertThatIllegalArgumentException().isThrownBy(() -> OffHeap.addressOf(heap));
        assertThatIllegalArgumentException().isThrownBy(() -> OffHeap.addressOf(heap.asReadOnlyBuffer()));
    }

    @Test
    void whenUsedFromManyThreadsThenGaugeReturnsToItsStart() {
        IntStream.range(0, 2000).parallel().forEach(i -> heap.free(heap.allocate(i * 37L, 8L << (i % 5))));
        assertThat(heap.liveBytes()).isZero();
    }

    private static byte[] counted(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) i;
        }
        return bytes;
    }
}
