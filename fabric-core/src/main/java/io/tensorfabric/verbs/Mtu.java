package io.tensorfabric.verbs;

/** Path MTU with the numbers of {@code enum ibv_mtu}. */
public enum Mtu {
    MTU_256(1, 256),
    MTU_512(2, 512),
    MTU_1024(3, 1024),
    MTU_2048(4, 2048),
    MTU_4096(5, 4096);

    private final int code;

    private final int bytes;

    Mtu(int code, int bytes) {
        this.code = code;
        this.bytes = bytes;
    }

    /** Number in {@code enum ibv_mtu}. */
    public int code() {
        return code;
    }

    /** Payload bytes of a packet. */
    public int bytes() {
        return bytes;
    }

    /**
     * The MTU of a size.
     *
     * @throws IllegalArgumentException if the size is none of 256, 512, 1024, 2048 and 4096
     */
    public static Mtu ofBytes(int bytes) {
        for (Mtu mtu : values()) {
            if (mtu.bytes == bytes) {
                return mtu;
            }
        }
        throw new IllegalArgumentException("MTU must be 256, 512, 1024, 2048 or 4096, not " + bytes);
    }

    /** The smaller of two, which both ends of a path must use. */
    public static Mtu min(Mtu a, Mtu b) {
        return a.bytes <= b.bytes ? a : b;
    }
}
