package io.tensorfabric.transfer;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Groups of tensors that came over one link. Those that are here wait, with all that can go wrong before their listeners done,
 * until the last one is, and then all go to their listeners; or none, when the sender gives the group up, a listener is
 * missing, or the link or this node ends. They wait no longer than the link lives, since an incomplete group is sent anew over the
 * next one. Thread-safe.
 */
final class InboundGroups {

    /** Far beyond what an honest sender has under way. */
    private static final int MAX_OPEN = 1 << 16;

    private final Engine engine;

    // Guarded by this.
    private final LongMap<InboundGroup> groups = new LongMap<>();
    private @Nullable String closed;

    InboundGroups(Engine engine) {
        this.engine = engine;
    }

    /** A message named a group. */
    synchronized InboundGroup arrived(TensorGroup what) {
        InboundGroup group = find(what.id());
        ProtocolViolation.unless(group.sizes(what.size()), "a group has two sizes");
        if (group.arrived()) {
            groups.remove(what.id());
        }
        return group;
    }

    private InboundGroup find(long id) {
        InboundGroup group = groups.get(id);
        if (group == null) {
            ProtocolViolation.unless(groups.size() < MAX_OPEN, "too many groups are not over");
            group = new InboundGroup(this, id);
            groups.put(id, group);
        }
        return group;
    }

    /**
     * The sender is done with a group, for good or ill.
     *
     * @param messages how many it sent, of which some may yet arrive: lanes keep no order between them
     */
    void over(long id, int messages) {
        List<InboundTransfer> dropped;
        synchronized (this) {
            InboundGroup group = find(id);
            boolean all = group.expects(messages);
            dropped = group.end();
            if (all) {
                groups.remove(id);
            }
        }
        dropped.forEach(
                transfer -> transfer.dropped(RejectCode.REFUSED, "the sender gave up the group that it belongs to"));
    }

    /**
     * A tensor is ready for its listener, on a listener thread.
     *
     * @return whether it goes there now; else it waits, or has been refused
     */
    boolean ready(InboundTransfer transfer, InboundGroup group) {
        List<InboundTransfer> all = List.of();
        Refusal refusal = null;
        synchronized (this) {
            if (group.isTold()) {
                return true;
            }
            if (group.isEnded()) {
                refusal = new Refusal(RejectCode.REFUSED, "the sender gave up the group that it belongs to");
            } else if (closed != null || engine.refusesArrivals()) {
                refusal = new Refusal(RejectCode.SHUTTING_DOWN, closed != null ? closed : Inbox.SHUTTING_DOWN);
            } else {
                transfer.held(true);
                if (!group.add(transfer)) {
                    return false;
                }
                all = group.take();
                refusal = refusal(all);
                if (refusal == null) {
                    group.told();
                }
            }
        }
        if (refusal == null) {
            all.forEach(member -> member.tellAccepted());
            // This thread's own one too, in its turn.
            engine.inbox().again(all);
        } else {
            Refusal why = refusal;
            all.forEach(member -> member.dropped(why.code(), why.text()));
            if (all.isEmpty()) {
                transfer.refuse(why.code(), why.text());
            }
        }
        return false;
    }

    private record Refusal(RejectCode code, String text) {}

    private @Nullable Refusal refusal(List<InboundTransfer> all) {
        for (InboundTransfer transfer : all) {
            String name = transfer.tensor().name();
            ListenerRegistry.Listener listener = engine.listeners().find(name, transfer.peer());
            if (listener == null) {
                return new Refusal(
                        RejectCode.NO_LISTENER,
                        "the receiver has no listener any more for '" + name + "' of its group");
            }
            if (listener.isPaused()) {
                return new Refusal(
                        RejectCode.BUSY, "the receiver's listener for '" + name + "' of its group is paused");
            }
        }
        return null;
    }

    /** Takes out one that waits; false if it does not. */
    synchronized boolean withdraw(InboundTransfer transfer, InboundGroup group) {
        return group.remove(transfer);
    }

    /** Nothing waits here any more, from now on: senders may send it again elsewhere. */
    void close(String why) {
        List<InboundTransfer> dropped = new ArrayList<>();
        synchronized (this) {
            closed = why;
            groups.forEach(group -> dropped.addAll(group.take()));
        }
        dropped.forEach(transfer -> transfer.dropped(RejectCode.SHUTTING_DOWN, why));
    }
}
