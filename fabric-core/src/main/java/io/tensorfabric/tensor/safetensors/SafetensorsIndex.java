package io.tensorfabric.tensor.safetensors;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * The index of a model that is spread over several files ({@code model.safetensors.index.json}): which tensor lies in
 * which file. File names in it are only ever names inside the index's own folder. Immutable.
 */
public final class SafetensorsIndex {

    /** The usual name of an index. */
    public static final String FILE_NAME = "model.safetensors.index.json";

    /** The longest file name that common file systems take, in bytes. */
    private static final int MAX_FILE_NAME_BYTES = 255;

    private final Map<String, String> weightMap;
    private final OptionalLong totalSize;

    private SafetensorsIndex(Map<String, String> weightMap, OptionalLong totalSize) {
        this.weightMap = Collections.unmodifiableMap(weightMap);
        this.totalSize = totalSize;
    }

    /**
     * Reads an index.
     *
     * @throws SafetensorsFormatException if it is not valid, names a file outside its folder, or is longer than {@link
     *     SafetensorsHeader#MAX_HEADER_BYTES}
     * @throws IOException if the file cannot be read
     */
    public static SafetensorsIndex read(Path file) throws IOException {
        try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
            return read(in, Files.size(file));
        } catch (SafetensorsFormatException e) {
            throw new SafetensorsFormatException(file + ": " + e.getMessage(), e);
        }
    }

    /**
     * Reads an index of a known length.
     *
     * @param in blocking; not closed
     * @throws SafetensorsFormatException if it is not valid, names a file outside its folder, or is longer than {@link
     *     SafetensorsHeader#MAX_HEADER_BYTES}
     * @throws IOException if the stream fails
     */
    public static SafetensorsIndex read(InputStream in, long bytes) throws IOException {
        if (bytes > SafetensorsHeader.MAX_HEADER_BYTES) {
            throw new SafetensorsFormatException(
                    "Index of " + bytes + " bytes is above the maximum of " + SafetensorsHeader.MAX_HEADER_BYTES);
        }
        return StrictJson.read("Index", new BoundedInputStream(in, bytes), SafetensorsIndex::parse);
    }

    private static SafetensorsIndex parse(StrictJson json) throws IOException {
        Map<String, String> weightMap = null;
        OptionalLong totalSize = OptionalLong.empty();
        for (String key = json.nextKey(); key != null; key = json.nextKey()) {
            switch (key) {
                case "weight_map" -> weightMap = parseWeightMap(json);
                case "metadata" -> totalSize = parseMetadata(json);
                default -> json.skipValue();
            }
        }
        if (weightMap == null) {
            throw json.malformed("there is no weight_map");
        }
        return new SafetensorsIndex(weightMap, totalSize);
    }

    private static Map<String, String> parseWeightMap(StrictJson json) throws IOException {
        HeapBudget budget = new HeapBudget();
        Map<String, String> shards = new LinkedHashMap<>();
        Map<String, String> weightMap = new LinkedHashMap<>();
        json.enterObject("weight_map");
        for (String tensor = json.nextKey(); tensor != null; tensor = json.nextKey()) {
            String shard = json.string("file of " + SafetensorsFormatException.quote(tensor));
            budget.pair(tensor, "");
            // One string per file instead of one per tensor.
            String known = shards.get(shard);
            if (known == null) {
                checkFileName(json, shard);
                shards.put(shard, shard);
                known = shard;
            }
            weightMap.put(tensor, known);
        }
        return weightMap;
    }

    private static OptionalLong parseMetadata(StrictJson json) throws IOException {
        OptionalLong totalSize = OptionalLong.empty();
        json.enterObject("metadata");
        for (String key = json.nextKey(); key != null; key = json.nextKey()) {
            if (key.equals("total_size")) {
                totalSize = json.optionalUnsigned();
            } else {
                json.skipValue();
            }
        }
        return totalSize;
    }

    private static void checkFileName(StrictJson json, String name) throws IOException {
        boolean plain = !name.isBlank()
                && !name.equals(".")
                && !name.equals("..")
                && name.chars().noneMatch(c -> c == '/' || c == '\\' || c == ':' || Character.isISOControl(c))
                && name.getBytes(StandardCharsets.UTF_8).length <= MAX_FILE_NAME_BYTES;
        if (!plain) {
            throw json.malformed(SafetensorsFormatException.quote(name)
                    + " is not a plain file name; files of an index lie in its own folder");
        }
    }

    /** For each tensor the name of its file. */
    public Map<String, String> weightMap() {
        return weightMap;
    }

    /** The names of all files, each once, in the order of the index. */
    public List<String> shards() {
        return weightMap.values().stream().distinct().toList();
    }

    /** The size of all tensors in bytes, if the index says so; it is not checked here. */
    public OptionalLong totalSize() {
        return totalSize;
    }

    /**
     * The path of one of the {@link #shards()}, after making sure that no symbolic link leads out of the folder.
     *
     * @throws IllegalArgumentException if the index does not name that file
     * @throws SafetensorsFormatException if a link leads out of the folder; where that is intended, as in the cache of the
     *     Hugging Face hub, resolve the name against the folder instead
     * @throws IOException if the file does not exist
     */
    public Path resolve(Path folder, String shard) throws IOException {
        if (!weightMap.containsValue(shard)) {
            throw new IllegalArgumentException(
                    SafetensorsFormatException.quote(shard) + " is not a file of this index");
        }
        Path path = folder.resolve(shard);
        if (!path.toRealPath().startsWith(folder.toRealPath())) {
            throw new SafetensorsFormatException(
                    SafetensorsFormatException.quote(shard) + " is a link that leads out of its folder");
        }
        return path;
    }
}
