package io.tensorfabric.transfer;

import io.tensorfabric.connection.Lane;
import io.tensorfabric.connection.Transmission;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Set;

/**
 * Keeps a bulk lane busy with the chunks of large pushes: a limited number of transmissions at a time, taking turns
 * between pushes, those of this lane alone and those of all bulk lanes. Guarded by the lock of its link's sender.
 */
final class BulkPump {

    private final LinkSender sender;
    private final LanePumps pumps;
    private final Lane lane;
    private final TransferOptions options;

    /** Pushes that all bulk lanes share. */
    private final Stripes stripes;

    /** Pushes of this lane alone. */
    private final ArrayDeque<Push> pushes = new ArrayDeque<>();

    /** Pushes that wait for a GPU to copy more of them. */
    private final Set<Push> parked = new HashSet<>();

    private int outstanding;
    private long backlog;
    private boolean blocked;
    private boolean pumping;
    private boolean stripeIsNext;

    BulkPump(LinkSender sender, LanePumps pumps, Lane lane, Stripes stripes, TransferOptions options) {
        this.sender = sender;
        this.pumps = pumps;
        this.lane = lane;
        this.stripes = stripes;
        this.options = options;
    }

    boolean isFor(Lane other) {
        return lane.index() == other.index();
    }

    /** Bytes of pushes of this lane alone that wait to be posted. */
    long backlog() {
        return backlog;
    }

    void add(Push push) {
        pushes.add(push);
        backlog += push.bytes();
    }

    void remove(Push push) {
        if (pushes.remove(push) || parked.remove(push)) {
            backlog -= push.bytes() - push.posted;
        }
    }

    /** The source of a push has more to write. */
    void resume(Push push) {
        if (parked.remove(push)) {
            pushes.add(push);
            pump();
        }
    }

    void unblock() {
        blocked = false;
    }

    void ended() {
        outstanding--;
    }

    void clear() {
        pushes.clear();
        parked.clear();
        backlog = 0;
    }

    /** Posts as much as fits. */
    void pump() {
        pump(Integer.MAX_VALUE);
    }

    /** Posts pieces of pushes, at most so many; false if none was left or none fitted. */
    boolean pump(int most) {
        if (pumping) {
            return false;
        }
        pumping = true;
        int posted = 0;
        try {
            while (posted < most
                    && !blocked
                    && outstanding < options.transmissionsPerLane()
                    && pumps.isUp()
                    && sendNext()) {
                posted++;
            }
        } catch (RuntimeException e) {
            blocked = true;
            sender.laneFailed(lane, e);
        } finally {
            pumping = false;
        }
        return posted > 0 && !blocked;
    }

    /** Sends a piece of a push, by turns of this lane's and of all lanes'; false if there is none. */
    private boolean sendNext() {
        Push own = pushes.peek();
        Push shared = stripes.peek();
        if (shared != null && (own == null || stripeIsNext)) {
            stripeIsNext = false;
            send(shared, stripes.queue(), stripes.chunks(shared), false);
        } else if (own != null) {
            stripeIsNext = true;
            sendOwn(own);
        }
        return own != null || shared != null;
    }

    private void sendOwn(Push push) {
        if (push.source.ready(push.bytes()) == push.posted) {
            pushes.remove();
            parked.add(push);
            return;
        }
        backlog -= send(push, pushes, options.chunksPerTransmission(), !push.isPull());
    }

    /**
     * Sends a piece of the push that is first in a queue.
     *
     * @param most chunks of the piece
     * @param withHeader whether the header follows the last chunk on this lane
     * @return the bytes of the piece
     */
    private long send(Push push, ArrayDeque<Push> queue, int most, boolean withHeader) {
        long ready = push.source.ready(push.bytes());
        int chunks = 0;
        long end = push.posted;
        while (chunks < most && end < ready) {
            end += chunk(push, end);
            chunks++;
        }
        boolean last = end == push.bytes();
        boolean message = last && withHeader;
        Transmission transmission = lane.begin(message ? chunks + 1 : chunks, message);
        if (transmission == null) {
            blocked = true;
            return 0;
        }
        queue.remove();
        try {
            write(transmission, push, end);
            if (last && (withHeader || push.isPull())) {
                sender.writeHeader(transmission, push);
            }
        } catch (RuntimeException e) {
            transmission.cancel();
            throw e;
        }
        if (!last) {
            // To the end of the queue: others get their turn.
            queue.add(push);
        }
        long bytes = end - push.posted;
        push.posted = end;
        push.outstanding++;
        outstanding++;
        transmission.submit(push, bytes);
        return bytes;
    }

    private void write(Transmission transmission, Push push, long end) {
        PeerZone zone = push.zone;
        if (zone == null) {
            throw new IllegalStateException(push + " is written without room");
        }
        long at = push.posted;
        while (at < end) {
            int length = chunk(push, at);
            move(transmission, push, at, length, zone.address() + push.offset + at, zone.rkey(lane.index()));
            at += length;
        }
    }

    /** One request of a transfer, in its direction. */
    static void move(Transmission transmission, Push push, long at, int length, long remote, int rkey) {
        PushSource local = push.source;
        if (push.isPull()) {
            transmission.read(local.address(at), length, local.lkey(at), remote, rkey);
        } else {
            transmission.write(local.address(at), length, local.lkey(at), remote, rkey);
        }
    }

    private int chunk(Push push, long at) {
        return (int) push.source.contiguous(at, Math.min(options.chunkSize(), push.bytes() - at));
    }
}
