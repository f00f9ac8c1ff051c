package io.tensorfabric.tensor.safetensors;

/**
 * Bounds what a header may occupy on the Java heap once parsed, so that a hostile one ends in an error of the format and
 * not in an {@link OutOfMemoryError} of the whole service.
 */
final class HeapBudget {

    /** Of the largest heap, one header may fill the half. */
    private static final int SHARE = 2;

    /** Objects around a name: entry, descriptor, shape, strings, nodes of two hash tables. */
    private static final int PER_TENSOR = 400;

    /** Objects around a metadata pair. */
    private static final int PER_PAIR = 200;

    private final long limit = Runtime.getRuntime().maxMemory() / SHARE;
    private long used;

    void tensor(String name, int rank) throws SafetensorsFormatException {
        charge(PER_TENSOR + 2L * name.length() + (long) rank * Long.BYTES);
    }

    void pair(String key, String value) throws SafetensorsFormatException {
        charge(PER_PAIR + 2L * key.length() + 2L * value.length());
    }

    private void charge(long bytes) throws SafetensorsFormatException {
        used += bytes;
        if (used > limit) {
            throw new SafetensorsFormatException("Header needs more than " + limit
                    + " bytes of Java heap once read; start Java with a larger -Xmx if the file is trusted");
        }
    }
}
