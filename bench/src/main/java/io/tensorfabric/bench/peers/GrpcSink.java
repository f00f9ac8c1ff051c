package io.tensorfabric.bench.peers;

import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** The receiving end of {@link GrpcCarrier}. */
final class GrpcSink implements AutoCloseable {

    private static final byte[] EMPTY = {};

    private final Server server;

    GrpcSink() throws IOException {
        server = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .maxInboundMessageSize(Blocks.MAX)
                .addService(ServerServiceDefinition.builder("tensorfabric.bench.Blocks")
                        .addMethod(Blocks.METHOD, ServerCalls.asyncBidiStreamingCall(GrpcSink::take))
                        .build())
                .build()
                .start();
    }

    int port() {
        return server.getPort();
    }

    private static StreamObserver<byte[]> take(StreamObserver<byte[]> answers) {
        return new StreamObserver<>() {
            @Override
            public void onNext(byte[] block) {
                answers.onNext(EMPTY);
            }

            @Override
            public void onError(Throwable problem) {
                // The sender has gone.
            }

            @Override
            public void onCompleted() {
                answers.onCompleted();
            }
        };
    }

    @Override
    public void close() {
        server.shutdownNow();
    }
}
