package io.tensorfabric.bench.peers;

import java.io.IOException;

/** The receiving ends of all ways but pushes. */
public final class Sinks implements AutoCloseable {

    private final NioSink nio;

    private final GrpcSink grpc;

    private Sinks(NioSink nio, GrpcSink grpc) {
        this.nio = nio;
        this.grpc = grpc;
    }

    /** Opens ports for them. */
    public static Sinks open() throws IOException {
        return new Sinks(new NioSink(), new GrpcSink());
    }

    /** Port of the plain sockets. */
    public int nioPort() throws IOException {
        return nio.port();
    }

    /** Port of gRPC. */
    public int grpcPort() {
        return grpc.port();
    }

    @Override
    public void close() throws IOException {
        nio.close();
        grpc.close();
    }
}
