package io.tensorfabric.topology;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Finds PCIe's access control services in the configuration space of a bridge. */
final class AccessControl {

    /** Where extended capabilities begin. */
    private static final int EXTENDED = 0x100;

    private static final int ID = 0x000d;

    /** Offset of the control register in the capability. */
    private static final int CONTROL = 6;

    /** Redirection of peer-to-peer requests and of completions. */
    private static final int REDIRECTS = 0x0004 | 0x0008;

    /** More than fit, so that a list that points at itself ends. */
    private static final int MOST = 64;

    private AccessControl() {}

    /** What a configuration space says; unprivileged readers see the first 64 bytes only. */
    static GpuPairing.Acs read(byte[] bytes) {
        if (bytes.length < EXTENDED + Integer.BYTES) {
            return GpuPairing.Acs.UNKNOWN;
        }
        ByteBuffer config = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        int offset = EXTENDED;
        for (int i = 0; i < MOST && offset >= EXTENDED && offset + CONTROL + Short.BYTES <= bytes.length; i++) {
            int header = config.getInt(offset);
            if ((header & 0xffff) == ID) {
                int control = config.getShort(offset + CONTROL);
                return (control & REDIRECTS) == 0 ? GpuPairing.Acs.OFF : GpuPairing.Acs.ON;
            }
            offset = header >>> 20;
        }
        return GpuPairing.Acs.OFF;
    }
}
