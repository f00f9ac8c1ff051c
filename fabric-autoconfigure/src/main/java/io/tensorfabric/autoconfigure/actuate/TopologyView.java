package io.tensorfabric.autoconfigure.actuate;

import io.tensorfabric.autoconfigure.FabricDiagnostics;
import io.tensorfabric.autoconfigure.FabricNode;
import io.tensorfabric.connection.DeviceDecision;
import io.tensorfabric.topology.Distance;
import io.tensorfabric.topology.GpuPairing;
import io.tensorfabric.topology.PciFunction;
import io.tensorfabric.topology.PciLink;
import io.tensorfabric.topology.RdmaCard;
import io.tensorfabric.topology.Topology;
import io.tensorfabric.topology.TopologyCheck;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How cards and GPUs of this machine hang together.
 *
 * @param numaNodes NUMA nodes of the machine, 0 if the kernel does not tell
 * @param decision why it is this device
 * @param device candidates for the device, with the reasons for and against each
 * @param cards RDMA devices
 * @param gpus GPUs of NVIDIA
 * @param paths each GPU with each card
 * @param warnings what costs speed, each with a remedy
 */
record TopologyView(
        int numaNodes,
        String decision,
        List<DeviceDecision.Candidate> device,
        List<Card> cards,
        List<Gpu> gpus,
        List<Path> paths,
        List<String> warnings) {

    /**
     * An RDMA device.
     *
     * @param pciAddress its address, {@code null} if it is no hardware
     * @param numaNode its NUMA node, -1 if the kernel does not tell
     * @param above what it hangs on, from the host bridge down
     * @param iommu how an IOMMU treats it, {@code null} without one
     */
    record Card(
            String name,
            boolean inUse,
            @Nullable String pciAddress,
            int numaNode,
            @Nullable Link link,
            @Nullable String iommu,
            List<String> above,
            List<String> networkInterfaces) {}

    /** A GPU; fields as those of a card. */
    record Gpu(
            String pciAddress,
            boolean inUse,
            int numaNode,
            @Nullable Link link,
            @Nullable String iommu,
            List<String> above,
            @Nullable String nearestCard) {}

    /** A PCIe link: what it runs at, and what the device could do; speeds in GT/s. */
    record Link(double speed, double maxSpeed, int width, int maxWidth) {

        static @Nullable Link of(@Nullable PciLink link) {
            return link == null ? null : new Link(link.speed(), link.maxSpeed(), link.width(), link.maxWidth());
        }
    }

    /** A GPU and a card, and what lies between them. */
    record Path(
            String gpu, String card, Distance distance, String meaning, GpuPairing.Acs acs, List<String> redirecting) {}

    static TopologyView of(FabricNode node) {
        FabricDiagnostics diagnostics = node.diagnostics();
        Topology topology = diagnostics.topology();
        DeviceDecision decision = node.device().decision();
        return new TopologyView(
                topology.numaNodes(),
                decision.explanation(),
                decision.candidates(),
                topology.cards().stream()
                        .map(card -> card(card, card.name().equals(node.device().deviceName())))
                        .toList(),
                topology.gpus().stream()
                        .map(gpu -> gpu(topology, gpu, isInUse(topology, gpu, diagnostics)))
                        .toList(),
                topology.pairings().stream().map(TopologyView::path).toList(),
                TopologyCheck.warnings(topology, node.device().deviceName(), diagnostics.gpusInUse()));
    }

    private static boolean isInUse(Topology topology, PciFunction gpu, FabricDiagnostics diagnostics) {
        return diagnostics.gpusInUse().stream()
                .anyMatch(address -> topology.gpu(address).filter(gpu::equals).isPresent());
    }

    private static Card card(RdmaCard card, boolean inUse) {
        PciFunction function = card.function();
        return new Card(
                card.name(),
                inUse,
                function == null ? null : function.address(),
                card.numaNode(),
                function == null ? null : Link.of(function.link()),
                function == null ? null : function.iommu(),
                function == null ? List.of() : function.above(),
                card.networkInterfaces());
    }

    private static Gpu gpu(Topology topology, PciFunction gpu, boolean inUse) {
        return new Gpu(
                gpu.address(),
                inUse,
                gpu.numaNode(),
                Link.of(gpu.link()),
                gpu.iommu(),
                gpu.above(),
                topology.nearest(gpu.address()).map(GpuPairing::card).orElse(null));
    }

    private static Path path(GpuPairing pairing) {
        return new Path(
                pairing.gpu(),
                pairing.card(),
                pairing.distance(),
                pairing.distance().meaning(),
                pairing.acs(),
                pairing.redirecting());
    }
}
