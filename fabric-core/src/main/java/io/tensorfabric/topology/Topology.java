package io.tensorfabric.topology;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Cards and GPUs of a machine and how they hang together, as the kernel showed them at one time. Immutable, thread-safe.
 */
public final class Topology {

    private static final Pattern NODE = Pattern.compile("node[0-9]+");

    private final List<RdmaCard> cards;

    private final List<PciFunction> gpus;

    private final List<GpuPairing> pairings;

    private final int numaNodes;

    private Topology(List<RdmaCard> cards, List<PciFunction> gpus, List<GpuPairing> pairings, int numaNodes) {
        this.cards = List.copyOf(cards);
        this.gpus = List.copyOf(gpus);
        this.pairings = List.copyOf(pairings);
        this.numaNodes = numaNodes;
    }

    /** Looks at the machine; what cannot be read is absent, never an error. */
    public static Topology read(Sysfs sysfs) {
        PciTree tree = new PciTree(sysfs);
        int nodes = (int) sysfs.names("devices/system/node").stream()
                .filter(name -> NODE.matcher(name).matches())
                .count();
        List<RdmaCard> cards = new ArrayList<>();
        for (String name : sysfs.names("class/infiniband")) {
            String folder = "class/infiniband/" + name + "/device";
            cards.add(new RdmaCard(name, tree.at(folder).orElse(null), sysfs.names(folder + "/net")));
        }
        List<PciFunction> gpus = tree.gpus();
        List<GpuPairing> pairings = new ArrayList<>();
        for (PciFunction gpu : gpus) {
            for (RdmaCard card : cards) {
                pairings.add(pairing(tree, gpu, card, Math.max(nodes, 1)));
            }
        }
        return new Topology(cards, gpus, pairings, nodes);
    }

    private static GpuPairing pairing(PciTree tree, PciFunction gpu, RdmaCard card, int nodes) {
        PciFunction function = card.function();
        if (function == null) {
            return new GpuPairing(gpu.address(), card.name(), Distance.UNKNOWN, GpuPairing.Acs.UNKNOWN, List.of());
        }
        List<String> redirecting = new ArrayList<>();
        boolean unknown = false;
        for (String bridge : PciTree.between(gpu, function)) {
            GpuPairing.Acs acs = tree.acs(bridge);
            unknown |= acs == GpuPairing.Acs.UNKNOWN;
            if (acs == GpuPairing.Acs.ON) {
                redirecting.add(bridge);
            }
        }
        GpuPairing.Acs acs = unknown ? GpuPairing.Acs.UNKNOWN : GpuPairing.Acs.OFF;
        return new GpuPairing(
                gpu.address(),
                card.name(),
                PciTree.distance(gpu, function, nodes),
                redirecting.isEmpty() ? acs : GpuPairing.Acs.ON,
                redirecting);
    }

    /** RDMA devices, by name. */
    public List<RdmaCard> cards() {
        return cards;
    }

    /** GPUs of NVIDIA, by address. */
    public List<PciFunction> gpus() {
        return gpus;
    }

    /** Each GPU with each card. */
    public List<GpuPairing> pairings() {
        return pairings;
    }

    /** NUMA nodes of the machine; 0 if the kernel does not tell. */
    public int numaNodes() {
        return numaNodes;
    }

    /** An RDMA device by name. */
    public Optional<RdmaCard> card(String name) {
        return cards.stream().filter(card -> card.name().equals(name)).findFirst();
    }

    /** A GPU by its PCI address, in any usual spelling. */
    public Optional<PciFunction> gpu(String address) {
        String wanted = PciTree.normalize(address);
        return gpus.stream().filter(gpu -> gpu.address().equals(wanted)).findFirst();
    }

    /** A GPU with a card; empty if one of them is not there. */
    public Optional<GpuPairing> pairing(String gpu, String card) {
        String wanted = PciTree.normalize(gpu);
        return pairings.stream()
                .filter(pairing ->
                        pairing.gpu().equals(wanted) && pairing.card().equals(card))
                .findFirst();
    }

    /** How far a GPU and a card are apart; unknown if one of them is not there. */
    public Distance distance(String gpu, String card) {
        return pairing(gpu, card).map(GpuPairing::distance).orElse(Distance.UNKNOWN);
    }

    /** A GPU with the card that is nearest to it, the first of several; empty without one whose place is known. */
    public Optional<GpuPairing> nearest(String gpu) {
        String wanted = PciTree.normalize(gpu);
        return pairings.stream()
                .filter(pairing -> pairing.gpu().equals(wanted) && pairing.distance() != Distance.UNKNOWN)
                .min(Comparator.comparing(GpuPairing::distance));
    }
}
