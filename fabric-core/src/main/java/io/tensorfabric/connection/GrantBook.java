package io.tensorfabric.connection;

import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.verbs.AccessFlag;
import io.tensorfabric.verbs.MemoryRegion;
import io.tensorfabric.verbs.MemoryWindow;
import io.tensorfabric.verbs.ProtectionDomain;
import io.tensorfabric.verbs.VerbsException;
import io.tensorfabric.verbs.WorkCompletionStatus;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** The grants of a connection: makes them, and revokes what is left when the connection ends. Thread-safe. */
final class GrantBook {

    private final ProtectionDomain domain;

    private final boolean windows;

    private final String peer;

    private final Set<OpenGrant> open = new HashSet<>();

    private boolean closed;

    GrantBook(ProtectionDomain domain, boolean windows, String peer) {
        this.domain = domain;
        this.windows = windows;
        this.peer = peer;
    }

    /** Opens memory on all lanes to what the peer may do there; blocks for the device. */
    RemoteGrant grant(List<QueuePairLane> lanes, BufferLease lease, Set<AccessFlag> remote, Deadline deadline) {
        if (lease.length() < 1) {
            throw new IllegalArgumentException("A grant covers at least one byte");
        }
        try {
            boolean bindable = windows && lease.region().access().contains(AccessFlag.MEMORY_WINDOW_BIND);
            return enter(bindable ? bind(lanes, lease, remote, deadline) : register(lanes.size(), lease, remote));
        } catch (VerbsException e) {
            throw new ConnectionException(
                    ConnectionException.Kind.LIMIT,
                    peer,
                    "Memory of " + lease.length() + " bytes cannot be opened to " + peer + ": " + e.getMessage(),
                    null,
                    e);
        }
    }

    private OpenGrant register(int lanes, BufferLease lease, Set<AccessFlag> remote) {
        Set<AccessFlag> rights = EnumSet.of(AccessFlag.LOCAL_WRITE);
        rights.addAll(remote);
        MemoryRegion region = lease.registerAgain(domain, rights);
        int[] rkeys = new int[lanes];
        Arrays.fill(rkeys, region.rkey());
        return new OpenGrant(this, lease, rkeys, List.of(region));
    }

    /** Binds a window on each lane: posts all, then waits. */
    private OpenGrant bind(List<QueuePairLane> lanes, BufferLease lease, Set<AccessFlag> remote, Deadline deadline) {
        try (Undo undo = new Undo()) {
            List<MemoryWindow> made = new ArrayList<>();
            List<CompletableFuture<WorkCompletionStatus>> ends = new ArrayList<>();
            for (QueuePairLane lane : lanes) {
                MemoryWindow window = undo.add(domain.allocateMemoryWindow());
                made.add(window);
                ends.add(InternalWork.post(
                        lane,
                        false,
                        deadline,
                        work -> work.bind(window, lease.region(), lease.address(), lease.length(), remote)));
            }
            for (CompletableFuture<WorkCompletionStatus> end : ends) {
                WorkCompletionStatus status = InternalWork.await(end, deadline, peer, "Binding a memory window");
                if (status != WorkCompletionStatus.SUCCESS) {
                    throw new ConnectionException(
                            ConnectionException.Kind.LOST,
                            peer,
                            "A memory window for " + peer + " was not bound: " + status + ". " + status.remedy(),
                            status,
                            null);
                }
            }
            undo.keep();
            int[] rkeys = made.stream().mapToInt(MemoryWindow::rkey).toArray();
            return new OpenGrant(this, lease, rkeys, made);
        }
    }

    private synchronized OpenGrant enter(OpenGrant grant) {
        if (closed) {
            grant.revoke();
            throw new ConnectionException(
                    ConnectionException.Kind.LOST, peer, "The connection to " + peer + " went down meanwhile");
        }
        open.add(grant);
        return grant;
    }

    private synchronized void remove(OpenGrant grant) {
        open.remove(grant);
    }

    /** Revokes everything, and makes no more grants. */
    void close() {
        List<OpenGrant> left;
        synchronized (this) {
            closed = true;
            left = List.copyOf(open);
        }
        left.forEach(Undo::closeQuietly);
    }

    /** A grant with the windows, or the region, that are its keys. */
    private static final class OpenGrant implements RemoteGrant {

        private final GrantBook book;
        private final long address;
        private final long length;
        private final int[] rkeys;
        private final List<? extends AutoCloseable> rights;

        OpenGrant(GrantBook book, BufferLease lease, int[] rkeys, List<? extends AutoCloseable> rights) {
            this.book = book;
            this.address = lease.address();
            this.length = lease.length();
            this.rkeys = rkeys;
            this.rights = rights;
        }

        @Override
        public long address() {
            return address;
        }

        @Override
        public long length() {
            return length;
        }

        @Override
        public int rkey(int lane) {
            return rkeys[lane];
        }

        @Override
        public void close() {
            revoke();
            book.remove(this);
        }

        /** Closing a window or region takes effect in the device before it returns; closing it twice is harmless. */
        private synchronized void revoke() {
            for (AutoCloseable right : rights) {
                try {
                    right.close();
                } catch (Exception e) {
                    throw new IllegalStateException(
                            "Memory opened to " + book.peer + " could not be taken back; it must not be reused yet", e);
                }
            }
        }

        @Override
        public String toString() {
            return "RemoteGrant[length=" + length + "]";
        }
    }
}
