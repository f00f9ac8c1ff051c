package io.tensorfabric.bench;

/**
 * When a program that a compiler works on has become as fast as it gets: for some pieces of time its rate has not grown, and
 * the compiler has taken next to none of it. One processor that programs and their compilers share takes many times as long
 * to get there as several do.
 */
final class WarmUp {

    /** Less is chance. */
    private static final double GROWTH = 1.1;

    /** A compiler that takes more of a processor slows down what is measured. */
    private static final double COMPILING = 0.1;

    private static final int STEADY_PIECES = 3;

    private final int mostPieces;

    private double best;

    private int steady;

    private int pieces;

    /** @param mostPieces after which it is over whatever the rates are */
    WarmUp(int mostPieces) {
        this.mostPieces = mostPieces;
    }

    /**
     * Takes the rate of another piece; whether more are needed.
     *
     * @param compiling how much of the piece the compiler worked
     */
    boolean goesOn(double rate, double compiling) {
        pieces++;
        if (rate > best * GROWTH) {
            steady = 0;
            best = rate;
        } else if (compiling > COMPILING) {
            steady = 0;
        } else {
            steady++;
        }
        return steady < STEADY_PIECES && pieces < mostPieces;
    }
}
