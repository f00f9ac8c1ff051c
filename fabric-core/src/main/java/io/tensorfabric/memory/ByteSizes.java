package io.tensorfabric.memory;

/** Sizes as people read them. */
final class ByteSizes {

    private static final String[] UNITS = {"bytes", "KiB", "MiB", "GiB", "TiB"};

    private ByteSizes() {}

    /** {@code 256 MiB} when that is exact, else the largest unit that is, such as {@code 1025 KiB}. */
    static String format(long bytes) {
        int unit = 0;
        long value = bytes;
        while (value != 0 && value % 1024 == 0 && unit < UNITS.length - 1) {
            value /= 1024;
            unit++;
        }
        return value + " " + UNITS[unit];
    }

    /** The next multiple of a power of two. */
    static long roundUp(long bytes, long powerOfTwo) {
        return (bytes + powerOfTwo - 1) & -powerOfTwo;
    }

    /** The multiple of a power of two that is not greater. */
    static long roundDown(long bytes, long powerOfTwo) {
        return bytes & -powerOfTwo;
    }

    static boolean isPowerOfTwo(long value) {
        return value > 0 && (value & (value - 1)) == 0;
    }
}
