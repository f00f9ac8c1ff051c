package io.tensorfabric.service.store;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Tensors that belong together: an uploaded file, or what a peer pushed under one file name. Thread-safe. */
public final class TensorFile {

    /** Header of a push that carries the file's name from the sender to the receiver. */
    public static final String HEADER = "file";

    private final String id;

    private final String name;

    private final @Nullable String peer;

    private final Instant created;

    private final Map<String, String> metadata;

    private final Map<String, StoredTensor> tensors = new LinkedHashMap<>();

    private boolean dropped;

    TensorFile(String id, String name, @Nullable String peer, Instant created, Map<String, String> metadata) {
        this.id = id;
        this.name = name;
        this.peer = peer;
        this.created = created;
        this.metadata = Map.copyOf(metadata);
    }

    /** Id that the store gave. */
    public String id() {
        return id;
    }

    /** Name that the user gave. */
    public String name() {
        return name;
    }

    /** Peer that it came from, or {@code null} if it was uploaded here. */
    public @Nullable String peer() {
        return peer;
    }

    /** When it was made. */
    public Instant created() {
        return created;
    }

    /** The safetensors metadata. */
    public Map<String, String> metadata() {
        return metadata;
    }

    /** The tensors as they are now. */
    public synchronized List<StoredTensor> tensors() {
        return List.copyOf(tensors.values());
    }

    /**
     * The tensor of a name.
     *
     * @throws NoSuchTensorException if there is none
     */
    public synchronized StoredTensor tensor(String tensorName) {
        StoredTensor tensor = tensors.get(tensorName);
        if (tensor == null) {
            throw new NoSuchTensorException("File '" + id + "' has no tensor '" + tensorName + "'");
        }
        return tensor;
    }

    /** Adds a tensor in place of one of the same name; answers whether the file still exists. */
    boolean put(StoredTensor tensor) {
        StoredTensor old;
        synchronized (this) {
            if (dropped) {
                return false;
            }
            old = tensors.put(tensor.descriptor().name(), tensor);
        }
        if (old != null) {
            old.drop();
        }
        return true;
    }

    void drop() {
        List<StoredTensor> all;
        synchronized (this) {
            dropped = true;
            all = new ArrayList<>(tensors.values());
            tensors.clear();
        }
        all.forEach(StoredTensor::drop);
    }
}
