package io.tensorfabric.bench.peers;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A gRPC stream of messages that are byte arrays; the receiver answers each by an empty one. */
final class GrpcCarrier extends Windowed {

    private static final long PATIENCE_SECONDS = 120;

    /** What came: an acknowledgement, or the end of the stream. */
    private final LinkedBlockingQueue<Object> answers = new LinkedBlockingQueue<>();

    private final ManagedChannel channel;

    private final StreamObserver<byte[]> requests;

    private byte[] block = {};

    GrpcCarrier(int port) {
        channel = NettyChannelBuilder.forAddress("127.0.0.1", port)
                .usePlaintext()
                .maxInboundMessageSize(Blocks.MAX)
                .build();
        requests = ClientCalls.asyncBidiStreamingCall(
                channel.newCall(Blocks.METHOD, CallOptions.DEFAULT), new StreamObserver<>() {
                    @Override
                    public void onNext(byte[] answer) {
                        answers.add(answer);
                    }

                    @Override
                    public void onError(Throwable problem) {
                        answers.add(problem);
                    }

                    @Override
                    public void onCompleted() {
                        answers.add(new IllegalStateException("The stream has ended"));
                    }
                });
    }

    @Override
    public String name() {
        return "grpc";
    }

    @Override
    void send(long size) {
        if (block.length != size) {
            block = new byte[Math.toIntExact(size)];
        }
        requests.onNext(block);
    }

    @Override
    void awaitOne() throws InterruptedException, TimeoutException {
        Object answer = answers.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (answer == null) {
            throw new TimeoutException("gRPC brought no answer in " + PATIENCE_SECONDS + " s");
        }
        if (answer instanceof Throwable problem) {
            throw new IllegalStateException("The gRPC stream failed: " + problem.getMessage(), problem);
        }
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }
}
