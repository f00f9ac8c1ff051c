package io.tensorfabric.bench.peers;

import java.io.IOException;

/** The receiving ends of all ways but pushes. */
public final class Sinks implements AutoCloseable {

    private final NioSink nio;

    private final GrpcSink grpc;

    private final FlightSink flight;

    private final UcxSink ucx;

    private Sinks() throws IOException {
        nio = new NioSink();
        grpc = new GrpcSink();
        flight = new FlightSink();
        ucx = new UcxSink();
    }

    /** Opens ports for them. */
    public static Sinks open() throws IOException {
        return new Sinks();
    }

    /**
     * Their ports.
     *
     * @param http port of the web server of this process
     */
    public Ports ports(int http) throws IOException {
        return new Ports(nio.port(), grpc.port(), flight.port(), ucx.port(), http);
    }

    @Override
    public void close() throws IOException {
        nio.close();
        grpc.close();
        flight.close();
        ucx.close();
    }
}
