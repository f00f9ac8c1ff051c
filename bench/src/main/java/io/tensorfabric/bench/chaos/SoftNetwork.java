package io.tensorfabric.bench.chaos;

import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Software devices, whose TCP connections go through wires. What the first and the second node send is copied out of their
 * shared memory, as between devices of one host; what the third one sends goes through the wires, as between hosts.
 */
final class SoftNetwork implements Network {

    private static final int DELAY_MILLIS = 40;

    private static final int SENDING_BYTES = 2;

    @Override
    public DataPath pathTo(Node.Place place) throws IOException {
        return new WirePath(new Wire(
                Wire.loopback(place.advertised(), place.softPort()), Wire.loopback("127.0.0.1", place.softPort())));
    }

    @Override
    public List<String> properties(Node.Place place) {
        return List.of(
                "fabric.provider=soft",
                "fabric.soft.port=" + place.softPort(),
                "fabric.soft.advertised-address=" + place.advertised(),
                "fabric.memory.host.shared=" + (place.index() != SENDING_BYTES));
    }

    @Override
    public Map<Fault.Kind, Integer> faults() {
        Map<Fault.Kind, Integer> weights = new EnumMap<>(Fault.Kind.class);
        weights.put(Fault.Kind.KILL, 14);
        weights.put(Fault.Kind.RESTART, 10);
        weights.put(Fault.Kind.STOP, 20);
        weights.put(Fault.Kind.CUT_DATA, 18);
        weights.put(Fault.Kind.CUT_REST, 6);
        weights.put(Fault.Kind.PARTITION, 12);
        weights.put(Fault.Kind.DELAY, 12);
        weights.put(Fault.Kind.STALL, 8);
        return weights;
    }

    @Override
    public int slowness() {
        return 1;
    }

    @Override
    public int rarity() {
        return 1;
    }

    /** The wire to one software device. */
    private record WirePath(Wire wire) implements DataPath {

        @Override
        public void begin(Fault.Kind kind) {
            switch (kind) {
                case CUT_DATA -> wire.cut();
                case PARTITION -> wire.refuse(true);
                case DELAY -> wire.delay(DELAY_MILLIS);
                case STALL -> wire.stall(true);
                default -> throw new IllegalArgumentException("No fault of a wire: " + kind);
            }
        }

        @Override
        public void end(Fault.Kind kind) {
            switch (kind) {
                case PARTITION -> wire.refuse(false);
                case DELAY -> wire.delay(0);
                case STALL -> wire.stall(false);
                default -> throw new IllegalArgumentException("No fault that lasts: " + kind);
            }
        }

        @Override
        public long bytes() {
            return wire.bytes();
        }

        @Override
        public String summary() {
            return wire.connections() + " connections for " + (wire.bytes() >> 20) + " MB of data";
        }

        @Override
        public void close() throws IOException {
            wire.close();
        }
    }
}
