package io.tensorfabric.transfer;

import io.tensorfabric.offheap.OffHeap;
import java.util.zip.CRC32C;

/** CRC32C (Castagnoli) over native memory, as iSCSI and NVMe use it; the JDK computes it with the CPU's instruction. */
final class Checksums {

    private static final long STRIDE = 1 << 30;

    private Checksums() {}

    static int of(long address, long bytes) {
        CRC32C crc = new CRC32C();
        for (long done = 0; done < bytes; done += STRIDE) {
            crc.update(OffHeap.asByteBuffer(address + done, (int) Math.min(STRIDE, bytes - done)));
        }
        return (int) crc.getValue();
    }
}
