package io.tensorfabric.transfer;

import io.tensorfabric.connection.PeerRight;
import io.tensorfabric.connection.RegionRequest;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.tensor.TensorDescriptor;
import io.tensorfabric.verbs.AccessFlag;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A published tensor with the accesses that peers have to it. Thread-safe. */
final class PublishedRegion implements PublishedTensor {

    private static final Logger log = LoggerFactory.getLogger(PublishedRegion.class);

    private final PublishedRegions all;
    private final Tensor tensor;
    private final PublishOptions options;
    private final RegionMemory memory;
    private final PutQueue puts;
    private final Duration grace;

    /** Guarded by this. */
    private final List<GrantedRegion> granted = new ArrayList<>();

    private boolean closing;
    private boolean closed;
    private @Nullable RuntimeException failure;

    /** @param tensor held for this already */
    PublishedRegion(
            PublishedRegions all,
            Tensor tensor,
            PublishOptions options,
            RegionMemory memory,
            PutQueue puts,
            Duration grace) {
        this.all = all;
        this.tensor = tensor;
        this.options = options;
        this.memory = memory;
        this.puts = puts;
        this.grace = grace;
    }

    @Override
    public String name() {
        return tensor.name();
    }

    @Override
    public Tensor tensor() {
        return tensor;
    }

    TensorDescriptor descriptor() {
        return tensor.descriptor();
    }

    List<Long> extents() {
        List<Long> extents = new ArrayList<>();
        for (int i = 0; i < tensor.shape().rank(); i++) {
            extents.add(tensor.shape().dim(i));
        }
        return extents;
    }

    RegionMemory memory() {
        return memory;
    }

    PutQueue puts() {
        return puts;
    }

    @Override
    public PublishOptions options() {
        return options;
    }

    /** What a peer may do here: what it has the right to, and is among those for whom this is. */
    Set<AccessFlag> rightsOf(String nodeId, Set<PeerRight> rights) {
        Set<AccessFlag> access = EnumSet.noneOf(AccessFlag.class);
        if (rights.contains(PeerRight.PULL) && matches(options.readers(), nodeId)) {
            access.add(AccessFlag.REMOTE_READ);
        }
        if (rights.contains(PeerRight.PUBLISH) && matches(options.writers(), nodeId)) {
            access.add(AccessFlag.REMOTE_WRITE);
        }
        return access;
    }

    private static boolean matches(List<String> patterns, String nodeId) {
        return patterns.stream().anyMatch(pattern -> Glob.matches(pattern, nodeId));
    }

    /** CRC32C of a part, which lies inside; {@code null} if this is closed. */
    synchronized @Nullable Integer checksum(RegionRequest.Part part) {
        return closing ? null : Integer.valueOf(Checksums.of(memory.address() + part.offset(), part.length()));
    }

    /** A peer has access from now on; false, with nothing done, if this is closed. */
    synchronized boolean add(GrantedRegion access) {
        if (closing) {
            return false;
        }
        granted.add(access);
        return true;
    }

    /** The access of a peer is revoked. */
    synchronized void remove(GrantedRegion access) {
        granted.remove(access);
        notifyAll();
    }

    @Override
    public synchronized Set<String> peers() {
        Set<String> nodes = new TreeSet<>();
        granted.forEach(access -> nodes.add(access.link().nodeId()));
        return nodes;
    }

    @Override
    public synchronized boolean isOpen() {
        return !closing;
    }

    @Override
    public void close() {
        close(grace);
    }

    /** The same with another time for peers that use it. */
    void close(Duration patience) {
        List<GrantedRegion> present;
        boolean first;
        synchronized (this) {
            first = !closing;
            closing = true;
            present = List.copyOf(granted);
        }
        if (first) {
            all.remove(this);
            puts.close();
            present.forEach(access -> access.link().sender().answers().askToRetire(access.id()));
            boolean interrupted = awaitUnused(patience);
            end();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        } else {
            awaitClosed(patience.plus(grace));
        }
        RuntimeException problem = failure;
        if (problem != null) {
            throw new IllegalStateException(
                    "Published tensor '" + name() + "' could not be taken back from its peers; its memory is kept",
                    problem);
        }
    }

    /** Returns whether the thread was interrupted, which ends the wait. */
    private synchronized boolean awaitUnused(Duration patience) {
        long end = System.nanoTime() + patience.toNanos();
        try {
            while (!granted.isEmpty() && end - System.nanoTime() > 0) {
                wait(Math.max(1, (end - System.nanoTime()) / 1_000_000));
            }
            return false;
        } catch (InterruptedException e) {
            return true;
        }
    }

    private synchronized void awaitClosed(Duration patience) {
        long end = System.nanoTime() + patience.toNanos();
        try {
            while (!closed && end - System.nanoTime() > 0) {
                wait(Math.max(1, (end - System.nanoTime()) / 1_000_000));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (!closed) {
            throw new IllegalStateException("Published tensor '" + name() + "' is still being closed");
        }
    }

    /** Revokes what peers did not give back, then gives the memory back. */
    private void end() {
        List<GrantedRegion> left;
        synchronized (this) {
            left = List.copyOf(granted);
        }
        RuntimeException problem = null;
        for (GrantedRegion access : left) {
            log.warn(
                    "Peer '{}' did not give published tensor '{}' back in time; its access is revoked",
                    access.link().peerName(),
                    name());
            try {
                access.revoke();
                remove(access);
            } catch (RuntimeException e) {
                problem = e;
            }
        }
        if (problem == null) {
            problem = release();
        }
        if (problem != null) {
            log.error("Published tensor '{}' could not be taken back; its memory stays taken", name(), problem);
        }
        synchronized (this) {
            failure = problem;
            closed = true;
            notifyAll();
        }
    }

    private @Nullable RuntimeException release() {
        try {
            memory.close();
            tensor.release();
            return null;
        } catch (RuntimeException e) {
            return e;
        }
    }

    @Override
    public String toString() {
        return "PublishedTensor[" + descriptor() + (isOpen() ? "]" : ", closed]");
    }
}
