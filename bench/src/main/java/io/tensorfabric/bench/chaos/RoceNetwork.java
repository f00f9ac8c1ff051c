package io.tensorfabric.bench.chaos;

import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The two RDMA devices of the Soft-RoCE guest and the cable between them. The first and the third node share a device, so
 * what they push to each other loops back in it, and only processes and the port disturb that.
 */
final class RoceNetwork implements Network {

    private static final List<String> DEVICES = List.of("rxe0", "rxe1");

    private static final List<String> ENDS = List.of("eth0", "eth1");

    /**
     * The guest has one processor, on which the cable, four processes and their starts take turns, and which is one of the
     * processes of a machine with other work: when that is short of processors the whole guest stands still for seconds.
     */
    private static final int SLOWNESS = 4;

    private static final int RARITY = 2;

    private final List<CableEnd> ends =
            List.of(new CableEnd(ENDS.get(0), new CableTool()), new CableEnd(ENDS.get(1), new CableTool()));

    @Override
    public DataPath pathTo(Node.Place place) {
        int own = place.index() % ENDS.size();
        return new CablePath(ends.get(own), ends.get(1 - own));
    }

    /** With the port named, a node starts and waits when the link is down just then. */
    @Override
    public List<String> properties(Node.Place place) {
        return List.of(
                "fabric.provider=verbs",
                "fabric.device=" + DEVICES.get(place.index() % DEVICES.size()),
                "fabric.port=1");
    }

    @Override
    public Map<Fault.Kind, Integer> faults() {
        Map<Fault.Kind, Integer> weights = new EnumMap<>(Fault.Kind.class);
        weights.put(Fault.Kind.KILL, 14);
        weights.put(Fault.Kind.RESTART, 10);
        weights.put(Fault.Kind.STOP, 18);
        weights.put(Fault.Kind.CUT_REST, 6);
        weights.put(Fault.Kind.PARTITION, 12);
        weights.put(Fault.Kind.DELAY, 12);
        weights.put(Fault.Kind.LOSS, 16);
        weights.put(Fault.Kind.LINK_DOWN, 10);
        return weights;
    }

    @Override
    public int slowness() {
        return SLOWNESS;
    }

    @Override
    public int rarity() {
        return RARITY;
    }

    /**
     * To the node at an end of the cable: what is lost or late is so when it leaves the other end.
     *
     * @param own the end with the node's device
     * @param other what sends to it
     */
    private record CablePath(CableEnd own, CableEnd other) implements DataPath {

        @Override
        public void begin(Fault.Kind kind) throws IOException, InterruptedException {
            switch (kind) {
                case PARTITION, DELAY, LOSS -> other.add(kind);
                case LINK_DOWN -> own.add(kind);
                default -> throw new IllegalArgumentException("No fault of a cable: " + kind);
            }
        }

        @Override
        public void end(Fault.Kind kind) throws IOException, InterruptedException {
            switch (kind) {
                case PARTITION, DELAY, LOSS -> other.remove(kind);
                case LINK_DOWN -> own.remove(kind);
                default -> throw new IllegalArgumentException("No fault of a cable: " + kind);
            }
        }

        @Override
        public long bytes() throws IOException {
            return own.received();
        }

        @Override
        public String summary() throws IOException {
            return (bytes() >> 20) + " MB over the cable";
        }

        @Override
        public void close() {
            // The cable goes with the guest.
        }
    }
}
