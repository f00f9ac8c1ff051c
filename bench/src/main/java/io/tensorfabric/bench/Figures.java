package io.tensorfabric.bench;

/**
 * What was measured of pushes of one size.
 *
 * @param pushesPerSecond with many under way
 * @param cpuSecondsPerGigabyte of both processes; NaN where the receiver's is not known
 * @param allocatedPerPush bytes of Java heap that the sender's process allocated for each push
 * @param p50 median microseconds of one push at a time, until the peer's device has acknowledged it
 */
record Figures(
        ByteSize size,
        double pushesPerSecond,
        double cpuSecondsPerGigabyte,
        double allocatedPerPush,
        double p50,
        double p99,
        double p999) {

    double gigabytesPerSecond() {
        return size.bytes() * pushesPerSecond / 1e9;
    }
}
