package io.tensorfabric.bench.peers;

import java.io.IOException;
import org.apache.arrow.flight.CallStatus;
import org.apache.arrow.flight.FlightServer;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.NoOpFlightProducer;
import org.apache.arrow.flight.PutResult;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;

/** The receiving end of {@link FlightCarrier}: takes each batch of a stream into memory of Arrow, and answers it. */
final class FlightSink implements AutoCloseable {

    private final BufferAllocator allocator = new RootAllocator();

    private final FlightServer server;

    FlightSink() throws IOException {
        server = FlightServer.builder(allocator, Location.forGrpcInsecure("127.0.0.1", 0), new Blocks())
                .build()
                .start();
    }

    int port() {
        return server.getPort();
    }

    @Override
    public void close() throws IOException {
        try {
            server.shutdown();
            server.close();
            allocator.close();
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new IOException("Flight did not stop", ex);
        }
    }

    private static final class Blocks extends NoOpFlightProducer {

        @Override
        public Runnable acceptPut(CallContext context, FlightStream blocks, StreamListener<PutResult> answers) {
            return () -> {
                try {
                    while (blocks.next()) {
                        answers.onNext(PutResult.empty());
                    }
                    answers.onCompleted();
                } catch (RuntimeException ex) {
                    answers.onError(CallStatus.INTERNAL.withCause(ex).toRuntimeException());
                }
            };
        }
    }
}
