package io.tensorfabric.tensor.safetensors;

import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.TensorDescriptor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The tensors of a {@link SafetensorsGenerator} file. */
final class GeneratedModel {

    private static final long SMALLEST = 8 << 10;

    /** Share of the file that layers may take; the rest is left to the one tensor that makes the size exact. */
    private static final double LAYERS_SHARE = 0.9;

    /** Roughly what a layer's entries take in the header. */
    private static final long HEADER_BYTES_PER_LAYER = 1200;

    /** Names to try until the header's padding lets the exact size be met. */
    private static final int ATTEMPTS = 16;

    private final List<TensorDescriptor> tensors = new ArrayList<>();
    private final Map<String, String> metadata;

    private GeneratedModel(long totalBytes, long seed) {
        metadata = Map.of("format", "pt", "generator", "tensor-fabric", "seed", Long.toString(seed));
        long hidden = hidden(totalBytes);
        add("model.step", DataType.I64);
        add("model.temperature", DataType.F32);
        add("model.prompt_cache", DataType.F32, 1, 8, 0, 128);
        add("model.attention_mask", DataType.BOOL, 3, 3, 7);
        add("model.norm.weight", DataType.F32, hidden);
        long layerBytes = 20 * hidden * hidden + HEADER_BYTES_PER_LAYER;
        long layers = (long) ((totalBytes - SMALLEST) * LAYERS_SHARE / layerBytes);
        for (long layer = 0; layer < layers; layer++) {
            addLayer("model.layers." + layer + ".", hidden);
        }
    }

    private static long hidden(long totalBytes) {
        if (totalBytes >= 4L << 30) {
            return 4096;
        }
        if (totalBytes >= 256L << 20) {
            return 1024;
        }
        return totalBytes >= 1L << 20 ? 128 : 8;
    }

    private void addLayer(String prefix, long hidden) {
        add(prefix + "self_attn.qkv_proj.weight", DataType.BF16, 3 * hidden, hidden);
        add(prefix + "self_attn.o_proj.weight", DataType.BF16, hidden, hidden);
        add(prefix + "mlp.up_proj.weight", DataType.I8, 4 * hidden, hidden);
        add(prefix + "mlp.up_proj.scales", DataType.F16, 4 * hidden);
        add(prefix + "mlp.down_proj.weight", DataType.F8_E4M3, hidden, 4 * hidden);
        add(prefix + "mlp.gate.weight", DataType.F32, hidden, hidden);
        add(prefix + "input_layernorm.weight", DataType.F32, hidden);
        add(prefix + "num_batches_tracked", DataType.I64);
    }

    private void add(String name, DataType dataType, long... dims) {
        tensors.add(new TensorDescriptor(name, dataType, Shape.of(dims)));
    }

    /** A layout of exactly the given size. */
    static SafetensorsLayout layout(long totalBytes, long seed) {
        if (totalBytes < SMALLEST) {
            throw new IllegalArgumentException(
                    "A generated file has at least " + SMALLEST + " bytes; " + totalBytes + " were asked for");
        }
        GeneratedModel model = new GeneratedModel(totalBytes, seed);
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            SafetensorsLayout layout = model.fillUpTo(totalBytes, "lm_head.weight" + "_".repeat(attempt));
            if (layout.totalBytes() == totalBytes) {
                return layout;
            }
        }
        throw new IllegalStateException("No layout of exactly " + totalBytes + " bytes was found");
    }

    /** The filler's length appears in the header, whose own length depends on it: settle that in a few rounds. */
    private SafetensorsLayout fillUpTo(long totalBytes, String filler) {
        long length = 0;
        SafetensorsLayout layout = layoutWith(filler, length);
        for (int round = 0; round < 4 && layout.totalBytes() != totalBytes; round++) {
            length = Math.max(0, length + totalBytes - layout.totalBytes());
            layout = layoutWith(filler, length);
        }
        return layout;
    }

    private SafetensorsLayout layoutWith(String filler, long length) {
        List<TensorDescriptor> all = new ArrayList<>(tensors);
        all.add(new TensorDescriptor(filler, DataType.U8, Shape.of(length)));
        return SafetensorsLayout.of(all, metadata);
    }
}
