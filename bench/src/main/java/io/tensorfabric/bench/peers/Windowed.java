package io.tensorfabric.bench.peers;

/** What carriers have in common that send on one connection and are told of each block in order. */
abstract class Windowed implements Carrier {

    /** Sends a block; may return before it has left. */
    abstract void send(long size) throws Exception;

    /** Waits for the next acknowledgement. */
    abstract void awaitOne() throws Exception;

    @Override
    public final double bandwidth(long size, double seconds) throws Exception {
        int depth = Carrier.depth(size);
        long start = System.nanoTime();
        long end = start + (long) (seconds * 1e9);
        long blocks = 0;
        int underWay = 0;
        while (System.nanoTime() < end) {
            if (underWay == depth) {
                awaitOne();
                underWay--;
            }
            send(size);
            underWay++;
            blocks++;
        }
        for (; underWay > 0; underWay--) {
            awaitOne();
        }
        return size * (double) blocks / ((System.nanoTime() - start) / 1e9);
    }

    @Override
    public final double latency(long size, double seconds) throws Exception {
        Samples samples = new Samples();
        long end = System.nanoTime() + (long) (seconds * 1e9);
        do {
            long before = System.nanoTime();
            send(size);
            awaitOne();
            samples.add(System.nanoTime() - before);
        } while (System.nanoTime() < end);
        return samples.micros(50);
    }
}
