package io.tensorfabric.service.store;

import io.tensorfabric.tensor.Tensor;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;

/**
 * The tensors of this service, in memory, within a budget. Thread-safe. Gives its memory back after the web server stopped
 * and before the fabric closes its pools.
 */
@Component
public class TensorStore implements SmartLifecycle {

    /** What names of files look like; they are never used as paths. */
    public static final String NAME_PATTERN = "[^\\p{Cntrl}]{1,255}";

    /** Below the web server's phase ({@code DEFAULT_PHASE - 2048}), above the fabric's. */
    private static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 2048 - 64;

    private final StoreProperties limits;

    private final Map<String, TensorFile> files = new ConcurrentHashMap<>();

    private long usedBytes;

    private int usedTensors;

    private volatile boolean running;

    TensorStore(StoreProperties limits) {
        this.limits = limits;
    }

    /**
     * Makes sure that the budget allows tensors, without taking anything.
     *
     * @throws FileTooLargeException if it would not even if the store were empty
     * @throws StoreFullException if it does not now
     */
    public synchronized void checkRoom(long bytes, int tensors) {
        long max = limits.maxSize().toBytes();
        if (bytes > max || tensors > limits.maxTensors()) {
            throw new FileTooLargeException("The store takes at most " + max + " bytes and " + limits.maxTensors()
                    + " tensors, not " + bytes + " bytes in " + tensors
                    + ". Raise tensor-service.store.max-size or max-tensors");
        }
        if (bytes > max - usedBytes) {
            throw new StoreFullException("The store has " + (max - usedBytes) + " of " + max + " bytes left, and "
                    + bytes + " are needed. Delete files or raise tensor-service.store.max-size");
        }
        if (tensors > limits.maxTensors() - usedTensors) {
            throw new StoreFullException("The store has room for " + (limits.maxTensors() - usedTensors)
                    + " more tensors, and " + tensors
                    + " are needed. Delete files or raise tensor-service.store.max-tensors");
        }
    }

    /**
     * Takes room for a tensor out of the budget.
     *
     * @throws StoreFullException if there is not enough
     */
    public synchronized Reservation reserve(long bytes) {
        checkRoom(bytes, 1);
        usedBytes += bytes;
        usedTensors++;
        return new Reservation(bytes);
    }

    private synchronized void free(long bytes) {
        usedBytes -= bytes;
        usedTensors--;
    }

    /** Bytes of tensors that are kept or reserved. */
    public synchronized long usedBytes() {
        return usedBytes;
    }

    /** A file that is not listed before {@link #add}. */
    public TensorFile newFile(String name, Map<String, String> metadata) {
        return new TensorFile(UUID.randomUUID().toString(), name, null, Instant.now(), metadata);
    }

    /**
     * Lists a file from now on.
     *
     * @throws StoreFullException if there are too many
     */
    public synchronized void add(TensorFile file) {
        if (files.size() >= limits.maxFiles()) {
            throw new StoreFullException("The store holds " + files.size()
                    + " files already. Delete some or raise tensor-service.store.max-files");
        }
        files.put(file.id(), file);
    }

    /**
     * The listed file of what a peer pushes under a name, made when there is none.
     *
     * @throws IllegalArgumentException if the name is not one, see {@link #NAME_PATTERN}
     * @throws StoreFullException if there are too many files
     */
    public synchronized TensorFile received(String peer, String name) {
        if (!name.matches(NAME_PATTERN)) {
            throw new IllegalArgumentException("A file name has 1 to 255 characters and no control characters");
        }
        for (TensorFile file : files.values()) {
            if (peer.equals(file.peer()) && name.equals(file.name())) {
                return file;
            }
        }
        TensorFile file = new TensorFile(UUID.randomUUID().toString(), name, peer, Instant.now(), Map.of());
        add(file);
        return file;
    }

    /**
     * The listed file of an id.
     *
     * @throws NoSuchTensorException if there is none
     */
    public TensorFile file(String id) {
        TensorFile file = files.get(id);
        if (file == null) {
            throw new NoSuchTensorException("There is no file '" + id + "'");
        }
        return file;
    }

    /** All listed files, or those of one peer, oldest first. */
    public List<TensorFile> files(@Nullable String peer) {
        return files.values().stream()
                .filter(file -> peer == null || peer.equals(file.peer()))
                .sorted(Comparator.comparing(TensorFile::created))
                .toList();
    }

    /**
     * Deletes a file; its memory goes back when nobody uses it any more.
     *
     * @throws NoSuchTensorException if there is none
     */
    public void delete(String id) {
        TensorFile file = files.remove(id);
        if (file == null) {
            throw new NoSuchTensorException("There is no file '" + id + "'");
        }
        file.drop();
    }

    /** Drops a file that was not added. */
    public void discard(TensorFile file) {
        file.drop();
    }

    @Override
    public void start() {
        running = true;
    }

    @Override
    public void stop() {
        running = false;
        for (TensorFile file : List.copyOf(files.values())) {
            files.remove(file.id());
            file.drop();
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }

    /** Room of the budget, for one tensor. Closing it gives the room back, unless a tensor took it. */
    public final class Reservation implements AutoCloseable {

        private final long bytes;

        private final AtomicBoolean spent = new AtomicBoolean();

        private Reservation(long bytes) {
            this.bytes = bytes;
        }

        /**
         * Puts a tensor into a file and spends the reservation; the store owns the tensor from now on, also on failure.
         *
         * @throws NoSuchTensorException if the file was deleted in the meantime
         */
        public void store(TensorFile file, Tensor tensor) {
            if (!spent.compareAndSet(false, true)) {
                throw new IllegalStateException("The reservation is spent");
            }
            StoredTensor stored = new StoredTensor(tensor, Instant.now(), () -> free(bytes));
            if (!file.put(stored)) {
                stored.drop();
                throw new NoSuchTensorException("File '" + file.name() + "' was deleted in the meantime");
            }
        }

        @Override
        public void close() {
            if (spent.compareAndSet(false, true)) {
                free(bytes);
            }
        }
    }
}
