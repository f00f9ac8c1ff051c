package io.tensorfabric.transfer;

import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.tensorfabric.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Pushes of which the peer's listeners hear together, as this node keeps them. They start together too, with one place among
 * the pushes under way: most of them end only when all have arrived, so that waiting for each other's places they would wait
 * for ever.
 */
final class OutboundGroup {

    /** How it stands with the place of a group. */
    private enum Place {
        NONE,
        AWAITED,
        TAKEN,
        REFUSED
    }

    private final TensorGroup group;

    /** Of its members in bytes, the largest first. */
    private final long[] sizes;

    // Guarded by the lock of the channel.
    private final List<Push> followers = new ArrayList<>();
    private Place place = Place.NONE;
    private int alive;

    private volatile boolean handedOver;

    /** TENSOR messages by the link that they went over. Guarded by this. */
    private final Map<LinkSender, Integer> messages = new LinkedHashMap<>();

    /** Of the member that asks the breaker for permission. */
    private final ReentrantLock entering = new ReentrantLock();

    /** That member. Guarded by its lock. */
    private @Nullable Push entered;

    OutboundGroup(long id, List<Tensor> tensors) {
        this.group = new TensorGroup(id, tensors.size());
        this.sizes = tensors.stream()
                .mapToLong(tensor -> -tensor.byteLength())
                .sorted()
                .map(bytes -> -bytes)
                .toArray();
        this.alive = sizes.length;
    }

    TensorGroup what() {
        return group;
    }

    /** The peer has answered for one, and so has handed all to their listeners. */
    void handedOver() {
        handedOver = true;
    }

    boolean isHandedOver() {
        return handedOver;
    }

    /** Bytes of the members that have at most so many each. */
    long bytesUpTo(long most) {
        long sum = 0;
        for (long size : sizes) {
            sum += size <= most ? ZoneAllocator.roomOf(size) : 0;
        }
        return sum;
    }

    /** Sizes in bytes of the members that have at most so many each and are not empty, the largest first. */
    long[] sizesUpTo(long most) {
        return Arrays.stream(sizes).filter(size -> size > 0 && size <= most).toArray();
    }

    /** Whether an empty zone has room for all members that fit it alone, with what their alignment costs. */
    boolean fits(long zone) {
        ZoneAllocator empty = new ZoneAllocator(zone);
        return Arrays.stream(sizesUpTo(zone)).allMatch(size -> empty.take(size) >= 0);
    }

    /** Bytes of the members that have more than so many each. */
    long bytesAbove(long limit) {
        long sum = 0;
        for (long size : sizes) {
            sum += size > limit ? size : 0;
        }
        return sum;
    }

    /** Members that have more than so many bytes. */
    int countAbove(long limit) {
        int count = 0;
        for (long size : sizes) {
            count += size > limit ? 1 : 0;
        }
        return count;
    }

    /** Whether no member asked for a place before. */
    boolean isNew() {
        return place == Place.NONE;
    }

    /** Whether the members may go. */
    boolean hasPlace() {
        return place == Place.TAKEN;
    }

    boolean isRefused() {
        return place == Place.REFUSED;
    }

    void refused() {
        place = Place.REFUSED;
    }

    void awaitsPlace() {
        place = Place.AWAITED;
    }

    /** A member that waits for the place of the first one. */
    void follow(Push push) {
        followers.add(push);
    }

    /** Whether a member waited, which it does no longer. */
    boolean unfollow(Push push) {
        return followers.remove(push);
    }

    /** It has its place: returns the members that waited for it. */
    List<Push> placed() {
        place = Place.TAKEN;
        List<Push> all = new ArrayList<>(followers);
        followers.clear();
        return all;
    }

    /** A member has given back all that it held; true if it was the last one. */
    boolean left() {
        alive--;
        return alive == 0;
    }

    /**
     * Permission for an attempt of a member: the first one that is ready asks for all of them, and those that come meanwhile
     * wait to hear of it, since a breaker whose time is over is open until somebody asks.
     */
    @Nullable CallNotPermittedException enter(Push push, PeerGuard guard) {
        entering.lock();
        try {
            if (entered == null) {
                entered = push;
            }
            return push.equals(entered) ? push.enter(guard) : guard.follow();
        } finally {
            entering.unlock();
        }
    }

    /** A link has to do with it from now on. */
    synchronized void joined(LinkSender link) {
        messages.putIfAbsent(link, 0);
    }

    /** A message of a member goes over a link. */
    synchronized void told(LinkSender link) {
        messages.merge(link, 1, Integer::sum);
    }

    /** No member is left: tells the links. */
    void over() {
        Map<LinkSender, Integer> links;
        synchronized (this) {
            links = new LinkedHashMap<>(messages);
            messages.clear();
        }
        links.forEach((link, count) -> link.groupOver(this, count));
    }

    @Override
    public String toString() {
        return "OutboundGroup[" + group.id() + ", " + group.size() + " tensors]";
    }
}
