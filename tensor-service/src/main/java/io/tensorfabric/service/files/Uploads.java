package io.tensorfabric.service.files;

import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.memory.MemoryKind;
import io.tensorfabric.service.store.StoreFullException;
import io.tensorfabric.service.store.TensorFile;
import io.tensorfabric.service.store.TensorMemory;
import io.tensorfabric.service.store.TensorStore;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.tensor.safetensors.SafetensorsEntry;
import io.tensorfabric.tensor.safetensors.SafetensorsHeader;
import io.tensorfabric.tensor.safetensors.SafetensorsStreamReader;
import io.tensorfabric.tensor.safetensors.TensorSink;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Streams safetensors content into registered memory, so that a push needs no copy. Thread-safe. */
@Component
class Uploads {

    private final TensorStore store;

    private final TensorMemory memory;

    private final UploadProperties properties;

    Uploads(TensorStore store, TensorMemory memory, UploadProperties properties) {
        this.store = store;
        this.memory = memory;
        this.properties = properties;
    }

    /**
     * Reads all content and lists the file; on failure nothing is left behind.
     *
     * @param totalBytes length of the content, or -1 if not known
     * @param target memory for the tensors as {@link TensorMemory#kind} reads it, {@code null} for the configured one
     * @throws IOException if the content is not valid, or cut short
     */
    TensorFile upload(String name, InputStream content, long totalBytes, @Nullable String target) throws IOException {
        MemoryKind kind = memory.kind(target == null ? properties.memory() : target);
        SafetensorsStreamReader reader = SafetensorsStreamReader.open(
                content,
                totalBytes < 0 ? SafetensorsHeader.UNKNOWN_LENGTH : totalBytes,
                properties.maxHeaderSize().toBytes());
        SafetensorsHeader header = reader.header();
        store.checkRoom(header.dataBytes(), header.entries().size());
        TensorFile file = store.newFile(name, header.metadata());
        try (Sink sink = new Sink(file, kind)) {
            reader.readAll(sink);
            store.add(file);
        } catch (IOException | RuntimeException ex) {
            store.discard(file);
            throw ex;
        }
        return file;
    }

    /** Takes the tensors of one upload; holds at most the one that is being read. */
    private final class Sink implements TensorSink, AutoCloseable {

        private final TensorFile file;

        private final MemoryKind kind;

        private TensorStore.@Nullable Reservation reservation;

        private @Nullable BufferLease lease;

        private Sink(TensorFile file, MemoryKind kind) {
            this.file = file;
            this.kind = kind;
        }

        private String holder() {
            return "upload " + file.id();
        }

        @Override
        public long addressFor(SafetensorsEntry entry) {
            return begin(entry).address();
        }

        private BufferLease begin(SafetensorsEntry entry) throws StoreFullException {
            reservation = store.reserve(entry.byteLength());
            BufferLease taken = memory.onHost(entry.byteLength(), holder());
            lease = taken;
            return taken;
        }

        @Override
        public void completed(SafetensorsEntry entry) {
            BufferLease buffer = lease == null ? begin(entry) : lease;
            TensorStore.Reservation room = reservation;
            if (room == null) {
                throw new IllegalStateException("Memory without a reservation");
            }
            lease = null;
            Tensor tensor = memory.place(entry.descriptor(), buffer, kind, holder());
            reservation = null;
            room.store(file, tensor);
        }

        @Override
        public void close() {
            if (lease != null) {
                lease.close();
            }
            if (reservation != null) {
                reservation.close();
            }
        }
    }
}
