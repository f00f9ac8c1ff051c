package io.tensorfabric.verbs.soft;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Memory that a key opens: a registered region or a bound window. The engine enters it for each piece that it copies,
 * so that {@link #revoke()} returns only when no byte can be touched through it any more.
 */
@SuppressWarnings("ReferenceEquality") // domains and queue pairs are who they are
class Grant {

    private static final int REVOKED = Integer.MIN_VALUE;

    private static final long POLL_NANOS = 20_000;

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final AtomicInteger users = new AtomicInteger();

    private final Object domain;

    private final long address;

    private final long length;

    private final int access;

    private final @Nullable Object scope;

    /** With {@code scope} the queue pair through which alone the key works, or {@code null}. */
    Grant(Object domain, long address, long length, int access, @Nullable Object scope) {
        this.domain = domain;
        this.address = address;
        this.length = length;
        this.access = access;
        this.scope = scope;
    }

    final long address() {
        return address;
    }

    final long length() {
        return length;
    }

    final int access() {
        return access;
    }

    /** Whether a queue pair of a domain may use all these rights. */
    final boolean permits(Object userDomain, Object queuePair, int rights) {
        return domain.equals(userDomain) && (scope == null || scope.equals(queuePair)) && (access & rights) == rights;
    }

    final boolean belongsTo(Object userDomain) {
        return domain.equals(userDomain);
    }

    final @Nullable Object scope() {
        return scope;
    }

    /** Whether a range lies inside; unsigned and without sums that wrap. */
    final boolean covers(long start, long bytes) {
        long offset = start - address;
        return Long.compareUnsigned(start, address) >= 0
                && Long.compareUnsigned(offset, length) <= 0
                && bytes >= 0
                && bytes <= length - offset;
    }

    /** Where the byte that work requests call by an address inside is for this process. */
    long locate(long start) {
        return start;
    }

    /** Begins a use; {@code false} when revoked. Each success is followed by one {@link #exit()}. */
    final boolean enter() {
        int seen = users.get();
        while (seen >= 0) {
            int witness = users.compareAndExchange(seen, seen + 1);
            if (witness == seen) {
                return true;
            }
            seen = witness;
        }
        return false;
    }

    final void exit() {
        users.decrementAndGet();
    }

    /**
     * Forbids new uses and waits for present ones, each of which copies one bounded piece without blocking.
     *
     * @return {@code false} when they did not end in 10 s
     */
    final boolean revoke() {
        users.getAndUpdate(count -> count | REVOKED);
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while ((users.get() & ~REVOKED) != 0) {
            if (System.nanoTime() - deadline > 0) {
                return false;
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
        return true;
    }
}
