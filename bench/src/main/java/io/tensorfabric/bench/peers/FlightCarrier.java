package io.tensorfabric.bench.peers;

import io.tensorfabric.offheap.OffHeap;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.PutResult;
import org.apache.arrow.flight.SyncPutListener;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A DoPut of Arrow Flight: each block is a batch of one value of fixed width, or as many batches as its size takes, and the
 * receiver answers each.
 */
final class FlightCarrier extends Windowed {

    private static final long PATIENCE_SECONDS = 120;

    /** Flight counts some lengths of a batch twice as an int. */
    private static final long MOST = 64L << 20;

    private static final int MEMORY_WAIT_MILLIS = 5000;

    private final BufferAllocator allocator = new RootAllocator();

    private final FlightClient client;

    private long size;

    private int batches;

    private @Nullable VectorSchemaRoot block;

    private FlightClient.@Nullable ClientStreamListener stream;

    private @Nullable SyncPutListener answers;

    FlightCarrier(int port) {
        client = FlightClient.builder(allocator, Location.forGrpcInsecure("127.0.0.1", port))
                .build();
    }

    @Override
    public String name() {
        return "flight";
    }

    @Override
    void send(long bytes) {
        if (size != bytes) {
            endStream();
            open(Math.toIntExact(Math.min(bytes, MOST)));
            size = bytes;
            batches = (int) ((bytes + MOST - 1) / MOST);
        }
        FlightClient.ClientStreamListener to = stream;
        if (to == null) {
            throw new IllegalStateException("Flight is not connected");
        }
        for (int i = 0; i < batches; i++) {
            to.putNext();
        }
    }

    private void open(int bytes) {
        Field field = new Field("block", FieldType.notNullable(new ArrowType.FixedSizeBinary(bytes)), null);
        VectorSchemaRoot root = VectorSchemaRoot.create(new Schema(List.of(field)), allocator);
        FixedSizeBinaryVector vector = (FixedSizeBinaryVector) root.getVector("block");
        vector.allocateNew(1);
        vector.setIndexDefined(0);
        OffHeap.fill(vector.getDataBuffer().memoryAddress(), bytes, (byte) 1);
        root.setRowCount(1);
        block = root;
        SyncPutListener listener = new SyncPutListener();
        answers = listener;
        stream = client.startPut(FlightDescriptor.path("block"), root, listener);
    }

    private void endStream() {
        if (stream != null) {
            stream.completed();
            stream.getResult();
            stream = null;
        }
        if (answers != null) {
            answers.close();
            answers = null;
        }
        if (block != null) {
            block.close();
            block = null;
        }
        size = 0;
    }

    @Override
    void awaitOne() throws InterruptedException, TimeoutException, ExecutionException {
        SyncPutListener listener = answers;
        for (int i = 0; i < batches; i++) {
            PutResult answer = listener == null ? null : listener.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (answer == null) {
                throw new TimeoutException("Flight brought no answer in " + PATIENCE_SECONDS + " s, or ended");
            }
            answer.close();
        }
    }

    @Override
    public void close() throws IOException {
        try {
            endStream();
            client.close();
            for (int waited = 0; allocator.getAllocatedMemory() > 0 && waited < MEMORY_WAIT_MILLIS; waited++) {
                // Its transport lets go of the last batch in its own time.
                TimeUnit.MILLISECONDS.sleep(1);
            }
            allocator.close();
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new IOException("Flight did not disconnect", ex);
        }
    }
}
