package io.tensorfabric.service.store;

import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.springframework.util.unit.DataSize;

/** A store with small tensors, for tests of other packages. */
public final class TestStore {

    public static final int BYTES = 16;

    private final TensorStore store = new TensorStore(new StoreProperties(DataSize.ofMegabytes(1), 10, 100));

    /** Stores tensors t0, t1, ... and uses them. */
    public List<StoredTensor.Use> tensors(int count) {
        TensorFile file = store.received("peer", "f");
        List<StoredTensor.Use> uses = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String name = "t" + i;
            store.reserve(BYTES).store(file, Tensor.copyOf(name, DataType.U8, Shape.of(BYTES), new byte[BYTES]));
            uses.add(file.tensor(name).use());
        }
        return uses;
    }

    public long usedBytesAfterDeletingAll() {
        store.stop();
        return store.usedBytes();
    }
}
