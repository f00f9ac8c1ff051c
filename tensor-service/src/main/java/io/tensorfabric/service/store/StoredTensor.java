package io.tensorfabric.service.store;

import io.tensorfabric.memory.MemoryKind;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.tensor.TensorDescriptor;
import java.time.Instant;

/**
 * A tensor of the store. Its memory goes back when the store has dropped it and nobody uses it any more. Thread-safe.
 */
public final class StoredTensor {

    private final Tensor tensor;

    private final Instant stored;

    private final Runnable onFreed;

    private int uses = 1;

    StoredTensor(Tensor tensor, Instant stored, Runnable onFreed) {
        this.tensor = tensor;
        this.stored = stored;
        this.onFreed = onFreed;
    }

    /** Name, data type and shape. */
    public TensorDescriptor descriptor() {
        return tensor.descriptor();
    }

    /** Where its bytes lie. */
    public MemoryKind kind() {
        return tensor.kind();
    }

    /** When it was stored. */
    public Instant stored() {
        return stored;
    }

    /**
     * Keeps the memory for a while.
     *
     * @return the use, to be closed
     * @throws NoSuchTensorException if the tensor was deleted in the meantime
     */
    public Use use() {
        synchronized (this) {
            if (uses == 0) {
                throw new NoSuchTensorException("Tensor '" + descriptor().name() + "' was deleted in the meantime");
            }
            uses++;
        }
        return new Use();
    }

    /** Drops the store's own use. */
    void drop() {
        release();
    }

    private void release() {
        synchronized (this) {
            if (--uses > 0) {
                return;
            }
        }
        tensor.close();
        onFreed.run();
    }

    /** A use of the tensor's memory. Closing it twice is harmless. */
    public final class Use implements AutoCloseable {

        private boolean closed;

        private Use() {}

        /** The tensor; the store closes it. */
        public Tensor tensor() {
            return tensor;
        }

        @Override
        public void close() {
            synchronized (this) {
                if (closed) {
                    return;
                }
                closed = true;
            }
            release();
        }
    }
}
