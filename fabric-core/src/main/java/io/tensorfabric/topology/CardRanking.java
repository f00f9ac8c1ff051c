package io.tensorfabric.topology;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** How well cards suit the GPUs that will use them. Immutable, thread-safe. */
public final class CardRanking {

    private static final CardRanking NONE = new CardRanking(null, List.of());

    private final @Nullable Topology topology;

    private final List<String> gpus;

    private CardRanking(@Nullable Topology topology, List<String> gpus) {
        this.topology = topology;
        this.gpus = List.copyOf(gpus);
    }

    /** All cards suit equally well. */
    public static CardRanking none() {
        return NONE;
    }

    /**
     * The nearest card suits best.
     *
     * @param topology the machine
     * @param gpus PCI addresses of the GPUs that will be used; without any all cards suit equally well
     */
    public static CardRanking nearest(Topology topology, List<String> gpus) {
        return new CardRanking(topology, gpus);
    }

    /** Whether it tells cards apart. */
    public boolean isUseful() {
        return topology != null && !gpus.isEmpty();
    }

    /** The lower, the better: the farthest GPU counts first, then all together. */
    public int rank(String card) {
        if (topology == null) {
            return 0;
        }
        int worst = 0;
        int sum = 0;
        for (String gpu : gpus) {
            int distance = topology.distance(gpu, card).ordinal();
            worst = Math.max(worst, distance);
            sum += distance;
        }
        return worst * 10_000 + Math.min(sum, 9_999);
    }

    /** Why a card has its rank, such as {@code PIX to GPU 0000:3b:00.0}. */
    public String reason(String card) {
        Topology present = topology;
        return present == null
                ? ""
                : gpus.stream()
                        .map(gpu -> present.distance(gpu, card) + " to GPU " + gpu)
                        .collect(Collectors.joining(", "));
    }
}
