package io.tensorfabric.segments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Floats;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import org.junit.jupiter.api.Test;

class TensorSegmentsTest {

    @Test
    void whenATensorIsASegmentThenTheMemoryIsTheSame() {
        try (Tensor tensor = Floats.tensor("x", DataType.F32, Shape.of(2), 1, 2);
                Arena arena = Arena.ofConfined()) {
            MemorySegment segment = TensorSegments.segment(tensor, arena);
            assertThat(segment.byteSize()).isEqualTo(8);
            segment.setAtIndex(ValueLayout.JAVA_FLOAT, 1, 5);
            assertThat(Floats.toFloats(tensor)).containsExactly(1, 5);
        }
    }

    @Test
    void whenTheTensorIsClosedFirstThenTheSegmentStaysUntilItsArenaEnds() {
        long before = OffHeap.allocatedBytes();
        MemorySegment segment;
        try (Arena arena = Arena.ofShared()) {
            Tensor tensor = Floats.tensor("x", DataType.F32, Shape.of(2), 1, 2);
            segment = TensorSegments.segment(tensor, arena);
            tensor.close();
            assertThat(segment.getAtIndex(ValueLayout.JAVA_FLOAT, 1)).isEqualTo(2);
            assertThat(OffHeap.allocatedBytes()).isGreaterThan(before);
            assertThatIllegalStateException().isThrownBy(() -> TensorSegments.segment(tensor, arena));
        }
        assertThat(OffHeap.allocatedBytes()).isEqualTo(before);
        assertThatIllegalStateException().isThrownBy(() -> segment.get(ValueLayout.JAVA_BYTE, 0));
    }

    @Test
    void whenOneIsReadOnlyThenTheOtherIsToo() {
        try (Arena arena = Arena.ofConfined();
                Tensor direct = Tensor.wrap(
                        "x",
                        DataType.U8,
                        Shape.of(4),
                        ByteBuffer.allocateDirect(4).asReadOnlyBuffer());
                Tensor tensor = TensorSegments.tensor(
                        "y", DataType.U8, Shape.of(4), arena.allocate(4).asReadOnly())) {
            assertThat(TensorSegments.segment(direct, arena).isReadOnly()).isTrue();
            assertThatExceptionOfType(ReadOnlyBufferException.class)
                    .isThrownBy(() -> tensor.asByteBuffer().put(0, (byte) 1));
        }
    }

    @Test
    void whenASegmentIsATensorThenTheMemoryIsTheSame() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment segment = arena.allocateFrom(ValueLayout.JAVA_FLOAT, 3, 4);
            try (Tensor tensor = TensorSegments.tensor("x", DataType.F32, Shape.of(2), segment)) {
                assertThat(tensor.address()).isEqualTo(segment.address());
                assertThat(Floats.toFloats(tensor)).containsExactly(3, 4);
            }
        }
    }

    @Test
    void whenASegmentDoesNotFitThenTheMessageSaysWhy() {
        MemorySegment segment;
        try (Arena arena = Arena.ofConfined()) {
            segment = arena.allocate(8);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> TensorSegments.tensor("x", DataType.F32, Shape.of(3), segment))
                    .withMessageContainingAll("12 bytes", "has 8");
        }
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> TensorSegments.tensor("x", DataType.F32, Shape.of(2), MemorySegment.ofArray(new byte[8])))
                .withMessageContaining("heap");
        assertThatIllegalStateException()
                .isThrownBy(() -> TensorSegments.tensor("x", DataType.F32, Shape.of(2), segment))
                .withMessageContaining("closed");
    }

    @Test
    void whenATensorIsInAGpuThenItIsNoSegment() {
        try (Tensor gpu = Tensor.ofCuda("x", DataType.U8, Shape.of(4), 4096, 0);
                Arena arena = Arena.ofConfined()) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> TensorSegments.segment(gpu, arena))
                    .withMessageContaining("cuda:0");
        }
    }
}
