package io.tensorfabric.transfer;

import io.tensorfabric.connection.Lane;
import io.tensorfabric.connection.Transmission;
import java.util.HashSet;
import java.util.Set;

/**
 * Keeps a bulk lane busy with the chunks of large pushes: a limited number of transmissions at a time, those of the highest
 * priority first, taking turns between pushes of the same one, those of this lane alone and those of all bulk lanes. The
 * control lane has one too, for urgent pushes that are not small. Guarded by the lock of its link's sender.
 */
final class BulkPump {

    private final LinkSender sender;
    private final LanePumps pumps;
    private final Lane lane;
    private final Limits limits;

    /** Pushes that all bulk lanes share. */
    private final Stripes stripes;

    /** Pushes of this lane alone. */
    private final PushQueue pushes = PushQueue.byPriority();

    /** Pushes that wait for a GPU to copy more of them. */
    private final Set<Push> parked = new HashSet<>();

    private int outstanding;
    private long backlog;
    private boolean blocked;
    private boolean pumping;
    private boolean stripeIsNext;

    /**
     * How much of a lane it takes at once.
     *
     * @param chunkSize length of one request
     * @param chunks requests of a transmission
     * @param transmissions that are under way
     */
    record Limits(int chunkSize, int chunks, int transmissions) {

        private static final int URGENT_TRANSMISSIONS = 2;

        private static final int MIN_CHUNK = 4096;

        /** Of a bulk lane. */
        static Limits bulk(TransferOptions options) {
            return new Limits(options.chunkSize(), options.chunksPerTransmission(), options.transmissionsPerLane());
        }

        /** Of the control lane: what is small waits for no more than it would for other small ones. */
        static Limits urgent(TransferOptions options) {
            int chunk = Math.max(MIN_CHUNK, Math.min(options.smallThreshold(), options.chunkSize()));
            return new Limits(chunk, 1, URGENT_TRANSMISSIONS);
        }
    }

    BulkPump(LinkSender sender, LanePumps pumps, Lane lane, Stripes stripes, Limits limits) {
        this.sender = sender;
        this.pumps = pumps;
        this.lane = lane;
        this.stripes = stripes;
        this.limits = limits;
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
            while (posted < most && !blocked && outstanding < limits.transmissions() && pumps.isUp() && sendNext()) {
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

    /** Sends a piece of a push, of the same priority by turns of this lane's and of all lanes'; false if there is none. */
    private boolean sendNext() {
        Push own = pushes.peek();
        Push shared = stripes.peek();
        if (shared != null && (own == null || isSharedNext(shared, own))) {
            stripeIsNext = false;
            send(shared, stripes.queue(), stripes.chunks(shared), false);
        } else if (own != null) {
            stripeIsNext = true;
            sendOwn(own);
        }
        return own != null || shared != null;
    }

    private boolean isSharedNext(Push shared, Push own) {
        int order = shared.options().priority().compareTo(own.options().priority());
        return order == 0 ? stripeIsNext : order > 0;
    }

    private void sendOwn(Push push) {
        if (push.source.ready(push.bytes()) == push.posted) {
            pushes.poll();
            parked.add(push);
            return;
        }
        backlog -= send(push, pushes, limits.chunks(), !push.isPull());
    }

    /**
     * Sends a piece of the push that is first in a queue.
     *
     * @param most chunks of the piece
     * @param withHeader whether the header follows the last chunk on this lane
     * @return the bytes of the piece
     */
    private long send(Push push, PushQueue queue, int most, boolean withHeader) {
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
        queue.poll();
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
            // To the end of those of its priority: others get their turn.
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
        return (int) push.source.contiguous(at, Math.min(limits.chunkSize(), push.bytes() - at));
    }
}
