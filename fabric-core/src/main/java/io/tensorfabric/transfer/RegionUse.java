package io.tensorfabric.transfer;

import io.tensorfabric.connection.Connection;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.tensor.TensorDescriptor;
import io.tensorfabric.transfer.TransferStatus.Direction;
import org.jspecify.annotations.Nullable;

/** The published tensor of the peer that a transfer works with, and what it does there. Thread-safe. */
final class RegionUse {

    /** What a transfer does. */
    enum Operation {
        /** Reads it, or a part. */
        PULL("Pull", "pulled from", Direction.PULL),
        /** Writes it, or a part, in place. */
        PUT("Put", "put to", Direction.PUT),
        /** Only finds out what it is. */
        LOOK("Look", "looked up at", Direction.PULL);

        private final String noun;
        private final String verb;
        private final Direction direction;

        Operation(String noun, String verb, Direction direction) {
            this.noun = noun;
            this.verb = verb;
            this.direction = direction;
        }

        /** Begins a sentence. */
        String noun() {
            return noun;
        }

        /** Between a tensor and its peer. */
        String verb() {
            return verb;
        }

        Direction direction() {
            return direction;
        }
    }

    private final Operation operation;
    private final String name;
    private final @Nullable Long offset;

    /** What it is, known from the peer. */
    private volatile @Nullable TensorDescriptor found;

    /** Over which it was found. */
    private volatile @Nullable Connection connection;

    /** Whether its owner may know of a put: writing once more could undo what others did since. */
    private volatile boolean told;

    /** @param offset of the first byte; {@code null} for all of it */
    RegionUse(Operation operation, String name, @Nullable Long offset) {
        this.operation = operation;
        this.name = name;
        this.offset = offset;
    }

    Operation operation() {
        return operation;
    }

    boolean isPull() {
        return operation == Operation.PULL;
    }

    String name() {
        return name;
    }

    /** Where it begins in the published tensor. */
    long start() {
        Long given = offset;
        return given == null ? 0 : given;
    }

    /** An attempt has found the tensor. */
    void found(TensorDescriptor descriptor, Connection over) {
        connection = over;
        found = descriptor;
    }

    @Nullable TensorDescriptor found() {
        return found;
    }

    @Nullable Connection connection() {
        return connection;
    }

    void told() {
        told = true;
    }

    boolean isTold() {
        return told;
    }

    /** Why a tensor does not go with the published one, or {@code null}. */
    @Nullable String mismatch(Tensor tensor, TensorDescriptor published) {
        if (operation == Operation.LOOK) {
            return null;
        }
        String is = "it is " + published.dataType() + " of shape " + published.shape();
        if (tensor.dataType() != published.dataType()) {
            return is + " there, and " + tensor.dataType() + " here";
        }
        if (offset == null) {
            return tensor.shape().equals(published.shape())
                    ? null
                    : is + " there, and of shape " + tensor.shape() + " here";
        }
        long size = published.byteLength();
        return start() <= size - tensor.byteLength()
                ? null
                : is + ", so of " + size + " bytes, and bytes " + start() + " to " + (start() + tensor.byteLength())
                        + " are wanted";
    }
}
