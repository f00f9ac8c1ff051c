package io.tensorfabric.memory;

/**
 * Where memory lies.
 *
 * @param type host or device memory
 * @param ordinal number of the device, 0 for host memory
 */
public record MemoryKind(Type type, int ordinal) {

    /** Host memory. */
    public static final MemoryKind HOST = new MemoryKind(Type.HOST, 0);

    private static final String CUDA_PREFIX = "cuda:";

    /** Type of memory. */
    public enum Type {
        HOST,
        CUDA
    }

    /** Host memory has ordinal 0 only. */
    public MemoryKind {
        if (ordinal < 0 || (type == Type.HOST && ordinal != 0)) {
            throw new IllegalArgumentException("No memory " + type + " has ordinal " + ordinal);
        }
    }

    /** Memory of a GPU. */
    public static MemoryKind cuda(int ordinal) {
        return new MemoryKind(Type.CUDA, ordinal);
    }

    /**
     * Reads {@code host} or {@code cuda:N}.
     *
     * @throws IllegalArgumentException if the text is neither
     */
    public static MemoryKind parse(String text) {
        if ("host".equals(text)) {
            return HOST;
        }
        if (text.startsWith(CUDA_PREFIX) && text.matches("cuda:[0-9]{1,4}")) {
            return cuda(Integer.parseInt(text.substring(CUDA_PREFIX.length())));
        }
        throw new IllegalArgumentException("Memory is 'host' or 'cuda:N', not '" + text + "'");
    }

    /** {@code host} or {@code cuda:N}. */
    @Override
    public String toString() {
        return type == Type.HOST ? "host" : CUDA_PREFIX + ordinal;
    }
}
