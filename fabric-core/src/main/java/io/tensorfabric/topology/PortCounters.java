package io.tensorfabric.topology;

import java.util.EnumMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * The counters of one port, read anew at each call from {@code counters} and {@code hw_counters} below
 * {@code /sys/class/infiniband}. A device has those that its driver keeps; the software device has none. Thread-safe.
 */
public final class PortCounters {

    private final Sysfs sysfs;

    private final String device;

    private final int port;

    /**
     * Counters of a port, which need not exist.
     *
     * @param sysfs where to read
     * @param device kernel name of the device
     * @param port number of the port, counted from 1
     */
    public PortCounters(Sysfs sysfs, String device, int port) {
        this.sysfs = sysfs;
        this.device = device;
        this.port = port;
    }

    /** Kernel name of the device. */
    public String device() {
        return device;
    }

    /** Number of the port. */
    public int port() {
        return port;
    }

    /** A counter, data in bytes; absent if the device does not keep it or does not tell it now. */
    public OptionalLong read(PortCounter counter) {
        for (String file : counter.files()) {
            OptionalLong value = sysfs.number("class/infiniband/" + device + "/ports/" + port + "/" + file);
            if (value.isPresent()) {
                return OptionalLong.of(scaled(value.getAsLong(), counter.unit()));
            }
        }
        return OptionalLong.empty();
    }

    /** All counters that the device keeps, data in bytes. */
    public Map<PortCounter, Long> readAll() {
        Map<PortCounter, Long> values = new EnumMap<>(PortCounter.class);
        for (PortCounter counter : PortCounter.values()) {
            read(counter).ifPresent(value -> values.put(counter, value));
        }
        return values;
    }

    private static long scaled(long value, int unit) {
        return value > Long.MAX_VALUE / unit ? Long.MAX_VALUE : value * unit;
    }
}
