package io.tensorfabric.verbs.ibverbs;

/** Link speed from the codes of {@code struct ibv_port_attr}; see {@code ibv_query_port(3)}. */
final class LinkSpeed {

    private static final long MEGABIT = 1_000_000L;

    private LinkSpeed() {}

    /** Lanes times speed of a lane, 0 when one of the codes is not known. */
    static long bitsPerSecond(int widthCode, int speedCode) {
        return lanes(widthCode) * laneMegabits(speedCode) * MEGABIT;
    }

    private static long lanes(int code) {
        return switch (code) {
            case 1 -> 1;
            case 2 -> 4;
            case 4 -> 8;
            case 8 -> 12;
            case 16 -> 2;
            default -> 0;
        };
    }

    private static long laneMegabits(int code) {
        return switch (code) {
            case 1 -> 2_500;
            case 2 -> 5_000;
            case 4, 8 -> 10_000;
            case 16 -> 14_000;
            case 32 -> 25_000;
            case 64 -> 50_000;
            case 128 -> 100_000;
            default -> 0;
        };
    }
}
