package io.tensorfabric.interop.dlpack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.tensorfabric.memory.MemoryKind;
import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Floats;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.tensor.TensorDescriptor;
import java.nio.ReadOnlyBufferException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Structures as C lays them out, written byte by byte by this test. */
class DlpackTest {

    private static final DlpackDeleter NONE = (function, managed) -> {
        throw new AssertionError("There is no deleter to call");
    };

    private final List<String> deleted = new ArrayList<>();
    private long before;
    private Tensor memory;
    private long block;

    @BeforeEach
    void allocate() {
        before = OffHeap.allocatedBytes();
        memory = Floats.tensor("memory", DataType.F32, Shape.of(8), 0, 1, 2, 3, 4, 5, 6, 7);
        block = OffHeap.allocate(256, 16);
        OffHeap.fill(block, 256, (byte) 0);
    }

    @AfterEach
    void free() {
        OffHeap.free(block);
        memory.close();
        assertThat(OffHeap.allocatedBytes()).isEqualTo(before);
    }

    @Test
    void whenAManagedTensorIsTakenThenTheMemoryIsTheSameAndItsDeleterIsCalledOnce() {
        tensor(block, 1, 0, 2, 32, 1, new long[] {2, 3}, new long[] {3, 1}, 8);
        OffHeap.putLong(block + 56, 0xD00D);

        Tensor taken = Dlpack.take("x", block, this::delete);

        assertThat(taken.address()).isEqualTo(memory.address() + 8);
        assertThat(taken.dataType()).isEqualTo(DataType.F32);
        assertThat(taken.shape()).isEqualTo(Shape.of(2, 3));
        assertThat(Floats.toFloats(taken)).containsExactly(2, 3, 4, 5, 6, 7);
        taken.hold();
        taken.close();
        assertThat(deleted).isEmpty();
        taken.release();
        taken.close();
        assertThat(deleted).containsExactly("d00d of " + block);
    }

    @Test
    void whenAVersionedTensorIsReadOnlyThenItCannotBeWritten() {
        versioned(1, 1, 1);
        tensor(block + 32, 3, 0, 2, 32, 1, new long[] {8}, null, 0);
        OffHeap.putLong(block + 16, 0xBEEF);

        Tensor taken = Dlpack.takeVersioned("x", block, this::delete);

        assertThat(taken.isReadOnly()).isTrue();
        assertThat(taken.kind()).isEqualTo(MemoryKind.HOST);
        assertThatExceptionOfType(ReadOnlyBufferException.class)
                .isThrownBy(() -> taken.asByteBuffer().putFloat(0, 1));
        taken.close();
        assertThat(deleted).containsExactly("beef of " + block);
    }

    @Test
    void whenThereIsNoDeleterThenNoneIsCalled() {
        tensor(block, 2, 3, 4, 16, 1, new long[] {4}, null, 0);

        try (Tensor taken = Dlpack.take("x", block, NONE)) {
            assertThat(taken.kind()).isEqualTo(MemoryKind.cuda(3));
            assertThat(taken.dataType()).isEqualTo(DataType.BF16);
        }
    }

    @Test
    void whenStridesCarryNoMeaningThenTheyAreNotLookedAt() {
        tensor(block, 1, 0, 2, 32, 1, new long[] {1, 4}, new long[] {999, 1}, 0);
        Dlpack.take("one row", block, NONE).close();
        tensor(block, 1, 0, 2, 32, 1, new long[] {1, 8, 0}, new long[] {7, 7, 7}, 0);
        OffHeap.putLong(block, 0);
        Dlpack.take("empty", block, NONE).close();
        tensor(block, 1, 0, 2, 32, 1, new long[0], null, 4);
        try (Tensor scalar = Dlpack.take("scalar", block, NONE)) {
            assertThat(Floats.toFloats(scalar)).containsExactly(1);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "transposed, 1, 2, 32, 1, 2, 3, 1, 2, contiguous",
        "every second, 1, 2, 32, 1, 2, 2, 4, 2, contiguous",
        "broadcast, 1, 2, 32, 1, 2, 3, 0, 1, contiguous",
        "reversed, 1, 2, 32, 1, 2, 2, 2, -1, contiguous",
        "lanes, 1, 2, 32, 4, 2, 1, 1, 1, 4 lanes",
        "opaque, 1, 3, 64, 1, 2, 1, 1, 1, type code 3 with 64 bits",
        "float8 with infinities, 1, 8, 8, 1, 2, 1, 1, 1, type code 8",
        "odd width, 1, 2, 24, 1, 2, 1, 1, 1, 24 bits",
        "ROCm, 10, 2, 32, 1, 2, 1, 1, 1, device type 10",
        "managed by CUDA, 13, 2, 32, 1, 2, 1, 1, 1, device type 13",
        "negative, 1, 2, 32, 1, -2, 1, 1, 1, negative",
        "half bytes, 1, 17, 4, 1, 1, 3, 3, 1, whole bytes",
        "vast, 1, 2, 32, 1, 4611686018427387904, 4, 4, 1, shape",
    })
    void whenATensorCannotBeTakenAsItLiesThenItStaysTheCallers(
            String name, int device, int code, int bits, int lanes, long d0, long d1, long s0, long s1, String reason) {
        tensor(block, device, 0, code, bits, lanes, new long[] {d0, d1}, new long[] {s0, s1}, 0);
        OffHeap.putLong(block + 56, 0xD00D);

        assertThatExceptionOfType(DlpackException.class)
                .isThrownBy(() -> Dlpack.take(name, block, this::delete))
                .withMessageContaining(reason);
        assertThat(deleted).isEmpty();
    }

    @Test
    void whenAStructureIsBrokenThenTheMessageSaysWhere() {
        refused("NULL", 0);
        tensor(block, 1, 0, 2, 32, 1, new long[] {2}, null, -4);
        refused("byte offset", block);
        tensor(block, 1, 0, 2, 32, 1, new long[] {2}, null, 0);
        OffHeap.putInt(block + 16, 33);
        refused("33", block);
        OffHeap.putInt(block + 16, -1);
        refused("-1", block);
        tensor(block, 1, 0, 2, 32, 1, new long[] {2}, null, 0);
        OffHeap.putLong(block + 24, 0);
        refused("no shape", block);
        tensor(block, 1, 0, 2, 32, 1, new long[] {2}, null, 0);
        OffHeap.putLong(block, 0);
        refused("no data", block);
        tensor(block, 2, -1, 2, 32, 1, new long[] {2}, null, 0);
        refused("GPU -1", block);
    }

    @Test
    void whenALayoutIsNotKnownThenItIsRefused() {
        versioned(2, 0, 0);
        tensor(block + 32, 1, 0, 2, 32, 1, new long[] {2}, null, 0);
        assertThatExceptionOfType(DlpackException.class)
                .isThrownBy(() -> Dlpack.takeVersioned("x", block, NONE))
                .withMessageContaining("2.0");
        versioned(1, 9, 4);
        tensor(block + 32, 1, 0, 17, 4, 1, new long[] {2}, null, 0);
        assertThatExceptionOfType(DlpackException.class)
                .isThrownBy(() -> Dlpack.takeVersioned("x", block, NONE))
                .withMessageContaining("padded");
    }

    @Test
    void whenATensorIsGivenThenItsFieldsLieWhereCHasThem() {
        try (DlpackExport export = Dlpack.exportVersioned(memory, 0xFACE)) {
            long at = export.address();
            assertThat(OffHeap.getInt(at)).isEqualTo(1);
            assertThat(OffHeap.getLong(at + 8)).as("context").isZero();
            assertThat(OffHeap.getLong(at + 16)).as("deleter").isEqualTo(0xFACE);
            assertThat(OffHeap.getLong(at + 24)).as("flags").isZero();
            assertThat(OffHeap.getLong(at + 32)).as("data").isEqualTo(memory.address());
            assertThat(OffHeap.getInt(at + 40)).as("device").isEqualTo(1);
            assertThat(OffHeap.getInt(at + 48)).as("rank").isEqualTo(1);
            assertThat(OffHeap.getInt(at + 52)).as("code, bits, lanes").isEqualTo(2 | 32 << 8 | 1 << 16);
            assertThat(OffHeap.getLong(OffHeap.getLong(at + 56))).as("shape").isEqualTo(8);
            assertThat(OffHeap.getLong(OffHeap.getLong(at + 64))).as("strides").isEqualTo(1);
            assertThat(OffHeap.getLong(at + 72)).as("byte offset").isZero();
            assertThat(export).hasToString("DlpackExport[" + memory + ", versioned]");
        }
    }

    @Test
    void whenATensorIsClosedWhileItIsGivenThenItsMemoryStays() {
        Tensor lent = Floats.tensor("lent", DataType.F32, Shape.of(2), 3, 4);
        DlpackExport export = Dlpack.export(lent);
        lent.close();

        try (Tensor taken = Dlpack.take("back", export.address(), NONE)) {
            assertThat(Floats.toFloats(taken)).containsExactly(3, 4);
        }
        export.close();
        export.close();
        assertThatIllegalStateException().isThrownBy(export::address).withMessageContaining("lent");
    }

    @Test
    void whenATensorIsReadOnlyThenOnlyTheVersionedFormSaysSo() {
        try (Tensor readOnly = memory.asReadOnly();
                DlpackExport export = Dlpack.exportVersioned(readOnly, 0);
                Tensor taken = Dlpack.takeVersioned("x", export.address(), NONE)) {
            assertThat(taken.isReadOnly()).isTrue();
            assertThatExceptionOfType(DlpackException.class)
                    .isThrownBy(() -> Dlpack.export(readOnly))
                    .withMessageContaining("read-only");
        }
    }

    @ParameterizedTest
    @EnumSource(DataType.class)
    void whenATypeIsGivenThenItIsTakenAsTheSame(DataType type) {
        TensorDescriptor descriptor = new TensorDescriptor("t", type, Shape.of(2, 4));
        try (Tensor tensor = Tensor.allocate(descriptor);
                DlpackExport export = Dlpack.export(tensor);
                Tensor taken = Dlpack.take("t", export.address(), NONE)) {
            assertThat(taken.descriptor()).isEqualTo(descriptor);
        }
    }

    @Test
    void whenFieldsHoldAnythingThenTheTensorIsTakenOrRefusedAndNothingElse() {
        Random random = new Random(7);
        int refused = 0;
        for (int round = 0; round < 20_000; round++) {
            tensor(block, 1, 0, 2, 32, 1, new long[] {2, 2}, new long[] {2, 1}, 0);
            // Not the pointers of shape and strides: those C code cannot check either.
            int field = random.nextInt(24) < 8 ? 40 + random.nextInt(8) : 8 + random.nextInt(16);
            OffHeap.putByte(block + field, (byte) random.nextInt());
            OffHeap.putLong(block + 128 + random.nextInt(4) * 8L, random.nextLong());
            if (Integer.toUnsignedLong(OffHeap.getInt(block + 16)) > 2) {
                OffHeap.putInt(block + 16, OffHeap.getInt(block + 16) < 0 ? -1 : 33);
            }
            try {
                Dlpack.take("x", block, NONE).close();
            } catch (DlpackException e) {
                refused++;
            }
        }
        assertThat(refused).isPositive();
    }

    private void refused(String reason, long managed) {
        assertThatExceptionOfType(DlpackException.class)
                .isThrownBy(() -> Dlpack.take("x", managed, NONE))
                .withMessageContaining(reason);
    }

    private void delete(long function, long managed) {
        deleted.add(Long.toHexString(function) + " of " + managed);
    }

    private void versioned(int major, int minor, long flags) {
        OffHeap.putInt(block, major);
        OffHeap.putInt(block + 4, minor);
        OffHeap.putLong(block + 24, flags);
    }

    private void tensor(
            long at, int device, int id, int code, int bits, int lanes, long[] shape, long[] strides, long offset) {
        OffHeap.putLong(at, memory.address());
        OffHeap.putInt(at + 8, device);
        OffHeap.putInt(at + 12, id);
        OffHeap.putInt(at + 16, shape.length);
        OffHeap.putInt(at + 20, code | bits << 8 | lanes << 16);
        OffHeap.putLong(at + 24, longs(block + 128, shape));
        OffHeap.putLong(at + 32, strides == null ? 0 : longs(block + 192, strides));
        OffHeap.putLong(at + 40, offset);
    }

    private static long longs(long at, long[] values) {
        for (int i = 0; i < values.length; i++) {
            OffHeap.putLong(at + 8L * i, values[i]);
        }
        return at;
    }
}
