package io.tensorfabric.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorfabric.offheap.OffHeap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class TensorHoldTest {

    private static final TensorDescriptor BYTES = new TensorDescriptor("t", DataType.U8, Shape.of(64));

    private final AtomicInteger ownerClosed = new AtomicInteger();

    @Test
    void whenHeldThenCloseIsDeferredToTheLastRelease() {
        long memory = OffHeap.allocate(64, 64);
        Tensor tensor = Tensor.of(BYTES, memory, ownerClosed::incrementAndGet);
        assertThat(tensor.hold()).isEqualTo(memory);
        tensor.hold();
        tensor.close();
        assertThat(tensor.isClosed()).isTrue();
        tensor.release();
        assertThat(ownerClosed).hasValue(0);
        tensor.release();
        assertThat(ownerClosed).hasValue(1);
        OffHeap.free(memory);
    }

    @Test
    void whenReleasedBeforeCloseThenTheTensorStaysOpen() {
        Tensor tensor = Tensor.of(new TensorDescriptor("t", DataType.U8, Shape.of(0)), 0, ownerClosed::incrementAndGet);
        tensor.hold();
        tensor.release();
        assertThat(ownerClosed).hasValue(0);
        tensor.close();
        tensor.close();
        assertThat(ownerClosed).hasValue(1);
    }

    @Test
    void whenATensorIsSeenReadOnlyThenItsMemoryIsKeptAndViewsRefuseWrites() {
        Tensor tensor = Tensor.of(new TensorDescriptor("t", DataType.U8, Shape.of(0)), 0, ownerClosed::incrementAndGet);
        Tensor readOnly = tensor.asReadOnly();
        tensor.close();
        assertThat(ownerClosed).hasValue(0);
        assertThat(readOnly.isReadOnly()).isTrue();
        assertThat(readOnly.asByteBuffer().isReadOnly()).isTrue();
        readOnly.close();
        assertThat(ownerClosed).hasValue(1);
        assertThatThrownBy(tensor::asReadOnly).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void whenClosedThenItCannotBeHeld() {
        Tensor tensor = Tensor.allocate(BYTES);
        tensor.close();
        assertThatThrownBy(tensor::hold)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'t' is closed");
    }

    @Test
    void whenReleasedTooOftenThenItSaysSo() {
        try (Tensor tensor = Tensor.allocate(BYTES)) {
            assertThatThrownBy(tensor::release)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("more often");
            tensor.hold();
            tensor.release();
        }
    }
}
