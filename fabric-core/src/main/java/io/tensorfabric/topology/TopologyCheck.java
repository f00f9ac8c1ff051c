package io.tensorfabric.topology;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Finds what in a topology costs speed, and says what to do. Stateless. */
public final class TopologyCheck {

    private TopologyCheck() {}

    /**
     * What is not as good as it could be for a card and the GPUs that use it.
     *
     * @param topology the machine
     * @param card name of the card in use
     * @param gpus PCI addresses of the GPUs in use
     * @return sentences, each with a remedy; none when all is well or nothing is known
     */
    public static List<String> warnings(Topology topology, String card, List<String> gpus) {
        List<String> warnings = new ArrayList<>();
        Optional<PciFunction> function = topology.card(card).map(RdmaCard::function);
        function.ifPresent(found -> link("The PCIe link of " + card, found, true, warnings));
        for (String gpu : gpus) {
            topology.gpu(gpu).ifPresent(found -> link("The PCIe link of GPU " + gpu, found, false, warnings));
            topology.pairing(gpu, card).ifPresent(pairing -> pairing(topology, pairing, warnings));
        }
        if (!gpus.isEmpty() && function.filter(PciFunction::isTranslated).isPresent()) {
            warnings.add("The IOMMU translates the addresses of " + card + " ("
                    + function.get().iommu()
                    + "), which slows transfers between it and GPUs down. Boot the kernel with iommu=pt");
        }
        return warnings;
    }

    private static void link(String subject, PciFunction function, boolean speedCounts, List<String> warnings) {
        PciLink link = function.link();
        if (link != null && (link.isNarrow() || (speedCounts && link.isSlow()))) {
            warnings.add(subject + " runs at " + link.describe()
                    + ". Move it to a slot that has all lanes at full speed, seat it anew, or look for errors of the link"
                    + " in the kernel log");
        }
    }

    private static void pairing(Topology topology, GpuPairing pairing, List<String> warnings) {
        Distance distance = pairing.distance();
        Optional<GpuPairing> nearer =
                topology.nearest(pairing.gpu()).filter(other -> other.distance().compareTo(distance) < 0);
        boolean apart = distance == Distance.NODE || distance == Distance.SYS;
        if (apart || (distance != Distance.UNKNOWN && nearer.isPresent())) {
            warnings.add("GPU " + pairing.gpu() + " and " + pairing.card() + " sit apart (" + distance + "): "
                    + distance.meaning() + ". "
                    + nearer.map(other -> other.card() + " is nearer to it (" + other.distance()
                                    + "): set fabric.device=" + other.card()
                                    + ", or CUDA_VISIBLE_DEVICES to GPUs near " + pairing.card())
                            .orElse("No card is nearer: choose a GPU near " + pairing.card()
                                    + " by CUDA_VISIBLE_DEVICES, or put both below one PCIe switch"));
        }
        if (pairing.acs() == GpuPairing.Acs.ON && !apart) {
            warnings.add("Access control services of the bridges " + String.join(", ", pairing.redirecting())
                    + " send data between GPU " + pairing.gpu() + " and " + pairing.card()
                    + " through the processor. Switch ACS off in the firmware, or for each of them by setpci -s BRIDGE"
                    + " ECAP_ACS+6.w=0");
        }
    }
}
