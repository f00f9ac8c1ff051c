package io.tensorfabric.transfer;

import io.tensorfabric.connection.Lane;
import io.tensorfabric.connection.Transmission;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Set;

/**
 * Keeps a bulk lane busy with the chunks of large pushes: a limited number of transmissions at a time, taking turns
 * between pushes. Guarded by the lock of its link's sender.
 */
final class BulkPump {

    private final LinkSender sender;
    private final LanePumps pumps;
    private final Lane lane;
    private final TransferOptions options;
    private final ArrayDeque<Push> pushes = new ArrayDeque<>();

    /** Pushes that wait for a GPU to copy more of them. */
    private final Set<Push> parked = new HashSet<>();

    private int outstanding;
    private long backlog;
    private boolean blocked;
    private boolean pumping;

    BulkPump(LinkSender sender, LanePumps pumps, Lane lane, TransferOptions options) {
        this.sender = sender;
        this.pumps = pumps;
        this.lane = lane;
        this.options = options;
    }

    boolean isFor(Lane other) {
        return lane.index() == other.index();
    }

    /** Bytes that wait to be posted here. */
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

    void pump() {
        if (pumping) {
            return;
        }
        pumping = true;
        try {
            while (!blocked && outstanding < options.transmissionsPerLane() && !pushes.isEmpty() && pumps.isUp()) {
                send(pushes.element());
            }
        } catch (RuntimeException e) {
            blocked = true;
            sender.laneFailed(lane, e);
        } finally {
            pumping = false;
        }
    }

    private void send(Push push) {
        long ready = push.source.ready(push.bytes());
        if (ready == push.posted) {
            pushes.remove();
            parked.add(push);
            return;
        }
        int chunks = 0;
        long end = push.posted;
        while (chunks < options.chunksPerTransmission() && end < ready) {
            end += chunk(push, end);
            chunks++;
        }
        boolean last = end == push.bytes();
        boolean message = last && !push.isPull();
        Transmission transmission = lane.begin(message ? chunks + 1 : chunks, message);
        if (transmission == null) {
            blocked = true;
            return;
        }
        pushes.remove();
        try {
            write(transmission, push, end);
            if (last) {
                sender.writeHeader(transmission, push);
            }
        } catch (RuntimeException e) {
            transmission.cancel();
            throw e;
        }
        if (!last) {
            // To the end of the queue: others get their turn.
            pushes.add(push);
        }
        long bytes = end - push.posted;
        backlog -= bytes;
        push.posted = end;
        push.outstanding++;
        outstanding++;
        transmission.submit(push, bytes);
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
