package io.tensorfabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Base of the groups of {@link VerbsContractTest}: two devices for each test and a connection when it asks for one. */
abstract class ContractGroup {

    final VerbsContractTest subject;

    Node left;
    Node right;

    private VerbsPair pair;

    ContractGroup(VerbsContractTest subject) {
        this.subject = subject;
    }

    @BeforeEach
    void open() {
        pair = new VerbsPair(subject);
        left = pair.left();
        right = pair.right();
    }

    @AfterEach
    void close() {
        pair.close();
    }

    /** Two connected queue pairs. */
    Link link() {
        return link(new Connection());
    }

    Link link(Connection connection) {
        return link(connection, left.endpoint(), right.endpoint());
    }

    static Link link(Connection connection, Endpoint a, Endpoint b) {
        connection.connect(a, b);
        return new Link(a, b);
    }

    static VerbsException assertFails(Errno errno, ThrowingCallable call) {
        VerbsException failure = catchThrowableOfType(VerbsException.class, call);
        assertThat(failure).as("a failure with %s", errno).isNotNull();
        assertThat(failure.errno()).as(failure.getMessage()).isEqualTo(errno);
        return failure;
    }

    /** Waits for an event of a kind and passes over others, such as port events at start. */
    AsyncEvent awaitEvent(Node node, AsyncEventType type) {
        AsyncEvent event = nextEvent(node, type, subject.patience());
        assertThat(event).as("event %s within %s", type, subject.patience()).isNotNull();
        return event;
    }

    static @Nullable AsyncEvent nextEvent(Node node, AsyncEventType type, Duration time) {
        long end = System.nanoTime() + time.toNanos();
        for (long rest = time.toNanos(); rest > 0; rest = end - System.nanoTime()) {
            AsyncEvent event = node.context().awaitAsyncEvent(Duration.ofNanos(rest));
            if (event != null && event.type() == type) {
                return event;
            }
        }
        return null;
    }

    /**
     * Two connected queue pairs.
     *
     * @param a the left one
     * @param b the right one
     */
    record Link(Endpoint a, Endpoint b) {}
}
