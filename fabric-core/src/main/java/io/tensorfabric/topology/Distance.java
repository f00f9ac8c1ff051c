package io.tensorfabric.topology;

/** How far a card and a GPU are apart, in the words of {@code nvidia-smi topo -m}, the nearest first. */
public enum Distance {
    /** At most one PCIe switch between them. */
    PIX("at most one PCIe switch lies between them"),
    /** Several PCIe switches between them, but not the processor. */
    PXB("several PCIe switches lie between them"),
    /** A PCIe host bridge between them, which is a part of the processor. */
    PHB("a PCIe host bridge lies between them"),
    /** Two host bridges of one NUMA node between them. */
    NODE("two host bridges of one NUMA node lie between them"),
    /** The link between NUMA nodes is between them. */
    SYS("the link between processors lies between them"),
    /** The kernel does not tell. */
    UNKNOWN("the kernel does not tell where they are");

    private final String meaning;

    Distance(String meaning) {
        this.meaning = meaning;
    }

    /** What it means, as the rest of a sentence. */
    public String meaning() {
        return meaning;
    }

    /** Whether data between them passes a processor. */
    public boolean crossesTheProcessor() {
        return this == PHB || this == NODE || this == SYS;
    }
}
