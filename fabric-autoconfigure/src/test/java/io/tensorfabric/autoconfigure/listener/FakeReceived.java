package io.tensorfabric.autoconfigure.listener;

import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.transfer.Acknowledgment;
import io.tensorfabric.transfer.ReceivedTensor;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** A tensor that came from nowhere. */
final class FakeReceived implements ReceivedTensor, Acknowledgment {

    final Tensor tensor;

    final Map<String, String> headers;

    volatile boolean deferred;

    /** Of an answer that was put off. */
    final CompletableFuture<Void> answer = new CompletableFuture<>();

    FakeReceived(Map<String, String> headers, byte... bytes) {
        this.tensor = Tensor.copyOf("t", DataType.U8, Shape.of(bytes.length), bytes);
        this.headers = headers;
    }

    static FakeReceived one() {
        return new FakeReceived(Map.of(), (byte) 1);
    }

    @Override
    public long transferId() {
        return 1;
    }

    @Override
    public String peer() {
        return "peer";
    }

    @Override
    public String peerNodeId() {
        return "peer-id";
    }

    @Override
    public Tensor tensor() {
        return tensor;
    }

    @Override
    public Map<String, String> headers() {
        return headers;
    }

    @Override
    public Instant arrived() {
        return Instant.EPOCH;
    }

    @Override
    public boolean dedicatedZone() {
        return false;
    }

    @Override
    public Acknowledgment defer() {
        deferred = true;
        return this;
    }

    @Override
    public void acknowledge() {
        answer.complete(null);
    }

    @Override
    public void fail(Throwable reason) {
        if (answer.completeExceptionally(reason)) {
            close();
        }
    }

    @Override
    public boolean isEnded() {
        return answer.isDone();
    }

    @Override
    public void close() {
        tensor.close();
    }
}
