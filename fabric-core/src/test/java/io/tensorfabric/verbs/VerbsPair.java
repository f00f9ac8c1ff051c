package io.tensorfabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.offheap.OffHeap;

/** The two open devices of a test. Closing it closes all that was made there and checks that no native memory is left. */
final class VerbsPair implements AutoCloseable {

    private final long allocatedBefore = OffHeap.allocatedBytes();
    private final Closer closer = new Closer();
    private final Node left;
    private final Node right;

    VerbsPair(VerbsContractTest subject) {
        this.left = closer.add(new Node(subject, subject.openLeft(), subject.leftPort()));
        this.right = closer.add(new Node(subject, subject.openRight(), subject.rightPort()));
    }

    Node left() {
        return left;
    }

    Node right() {
        return right;
    }

    @Override
    public void close() {
        closer.close();
        assertThat(OffHeap.allocatedBytes())
                .as("native memory after everything was closed")
                .isEqualTo(allocatedBefore);
    }
}
