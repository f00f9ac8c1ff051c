package io.tensorfabric.transfer;

import java.util.ArrayList;
import java.util.List;

/** What has come of one group. Guarded by its owner. */
final class InboundGroup {

    private final InboundGroups owner;

    private final long id;

    private List<InboundTransfer> waiting = new ArrayList<>();

    private int size;

    private int arrived;

    /** How many will have come, as soon as the sender is done with it. */
    private int expected = -1;

    private boolean told;

    InboundGroup(InboundGroups owner, long id) {
        this.owner = owner;
        this.id = id;
    }

    /** As listeners see it. */
    TensorGroup what() {
        return new TensorGroup(id, size);
    }

    InboundGroups owner() {
        return owner;
    }

    /** Whether it has that many tensors, as far as is known. */
    boolean sizes(int value) {
        if (size == 0) {
            size = value;
        }
        return size == value;
    }

    /** A message came; true if no other will. */
    boolean arrived() {
        arrived++;
        ProtocolViolation.unless(expected < 0 || arrived <= expected, "more tensors of a group come than were sent");
        return arrived == expected;
    }

    /** So many messages will have come in all; true if they have. */
    boolean expects(int messages) {
        ProtocolViolation.unless(
                expected < 0 && messages > 0 && arrived <= messages, "a group is over with a wrong number of tensors");
        expected = messages;
        return arrived == expected;
    }

    /** Adds one that waits; true if all do. */
    boolean add(InboundTransfer transfer) {
        waiting.add(transfer);
        return waiting.size() == size;
    }

    boolean remove(InboundTransfer transfer) {
        return waiting.remove(transfer);
    }

    /** Takes those that wait. */
    List<InboundTransfer> take() {
        List<InboundTransfer> all = waiting;
        waiting = new ArrayList<>();
        return all;
    }

    /** The sender is done with it; returns those that wait for nothing now. */
    List<InboundTransfer> end() {
        return told ? List.of() : take();
    }

    boolean isEnded() {
        return expected >= 0;
    }

    /** All are with listeners, or on their way there: what comes of it again is alone. */
    void told() {
        told = true;
    }

    boolean isTold() {
        return told;
    }

    @Override
    public String toString() {
        return "InboundGroup[" + id + ", " + waiting.size() + " of " + size + " wait]";
    }
}
