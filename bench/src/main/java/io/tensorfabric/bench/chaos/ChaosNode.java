package io.tensorfabric.bench.chaos;

import io.tensorfabric.annotation.TensorListener;
import io.tensorfabric.transfer.ReceivedTensor;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;

/**
 * An application with the starter that compares what it gets with what the tensor's name says. It is no component, so that
 * no other application of this module finds it.
 */
@EnableAutoConfiguration
class ChaosNode {

    private final Journal journal;

    ChaosNode(Journal journal) {
        this.journal = journal;
    }

    @TensorListener(names = "*")
    void received(ReceivedTensor received) {
        try (received) {
            PushId push;
            try {
                push = PushId.parse(received.tensor().name());
            } catch (IllegalArgumentException ex) {
                journal.add(new Event.Received(System.nanoTime(), null, String.valueOf(ex.getMessage())));
                return;
            }
            journal.add(new Event.Received(System.nanoTime(), push, verdict(push, received)));
        }
    }

    private static String verdict(PushId push, ReceivedTensor received) {
        if (!push.sender().equals(received.peerNodeId())) {
            return "it came from " + received.peerNodeId();
        }
        if (received.tensor().byteLength() != push.bytes()) {
            return "it has " + received.tensor().byteLength() + " bytes";
        }
        long difference = Content.firstDifference(push, received.tensor().address());
        return difference < 0 ? Event.INTACT : "it differs from byte " + difference + " on";
    }
}
