package io.tensorfabric.topology;

import java.util.Locale;

/**
 * A PCIe link: what it runs at, and what the device could do. Values that the kernel does not tell are 0.
 *
 * @param speed present speed of a lane, in GT/s
 * @param maxSpeed speed that the device could do, in GT/s
 * @param width lanes in use
 * @param maxWidth lanes that the device has
 */
public record PciLink(double speed, double maxSpeed, int width, int maxWidth) {

    /** Whether it has fewer lanes than the device. */
    public boolean isNarrow() {
        return width > 0 && width < maxWidth;
    }

    /** Whether its lanes are slower than the device; a GPU without work slows its lanes down to save power. */
    public boolean isSlow() {
        return speed > 0 && speed < maxSpeed;
    }

    /** For people, such as {@code 16.0 GT/s x8 of 16.0 GT/s x16}. */
    public String describe() {
        return String.format(Locale.ROOT, "%.1f GT/s x%d of %.1f GT/s x%d", speed, width, maxSpeed, maxWidth);
    }
}
