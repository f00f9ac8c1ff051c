package io.tensorfabric.segments;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.interop.dlpack.Dlpack;
import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Floats;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Gives and takes through real C function pointers: the deleter that is given is the one that is called. */
class NativeDlpackTest {

    @Test
    void whenTheTakerIsDoneThenTheGiversMemoryIsFreed() throws Exception {
        long before = OffHeap.allocatedBytes();
        Tensor given = Floats.tensor("given", DataType.F32, Shape.of(3), 1, 2, 3);
        long managed = NativeDlpack.give(given);
        given.close();

        Tensor taken = Dlpack.takeVersioned("taken", managed, NativeDlpack.deleter());
        assertThat(Floats.toFloats(taken)).containsExactly(1, 2, 3);
        assertThat(NativeDlpack.outstanding()).isEqualTo(1);

        CompletableFuture.runAsync(taken::close).get(10, TimeUnit.SECONDS);
        assertThat(NativeDlpack.outstanding()).isZero();
        assertThat(OffHeap.allocatedBytes()).isEqualTo(before);
    }

    @Test
    void whenManyAreGivenThenEachIsReleasedByItsOwnDeleter() {
        long before = OffHeap.allocatedBytes();
        for (int i = 0; i < 1000; i++) {
            try (Tensor given = Floats.tensor("given", DataType.F32, Shape.of(2), i, -i);
                    Tensor taken = Dlpack.takeVersioned("taken", NativeDlpack.give(given), NativeDlpack.deleter())) {
                assertThat(Floats.toFloats(taken)).containsExactly(i, -i);
            }
        }
        assertThat(NativeDlpack.outstanding()).isZero();
        assertThat(OffHeap.allocatedBytes()).isEqualTo(before);
    }
}
