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
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A published tensor with the accesses that peers have to it. Thread-safe. */
final class PublishedRegion implements PublishedTensor {

    private static final Logger log = LoggerFactory.getLogger(PublishedRegion.class);

    private static final long ASK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    /** Longer than the device may take to open memory. */
    private static final long OPENING_NANOS =
            GrantedRegions.PATIENCE.plusSeconds(1).toNanos();

    private final PublishedRegions all;
    private final Tensor tensor;
    private final PublishOptions options;
    private final RegionMemory memory;
    private final PutQueue puts;
    private final Duration grace;

    /** Guarded by this. */
    private final List<GrantedRegion> granted = new ArrayList<>();

    /** Accesses that are being made: they may be keys already. */
    private int opening;

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

    /** Somebody begins to open it to a peer, and tells the end; false, with nothing done, if this is closed. */
    synchronized boolean beginOpening() {
        opening += closing ? 0 : 1;
        return !closing;
    }

    /** It was opened, or that failed. */
    synchronized void endOpening(@Nullable GrantedRegion access) {
        opening--;
        if (access != null) {
            granted.add(access);
        }
        notifyAll();
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
        boolean first;
        synchronized (this) {
            first = !closing;
            closing = true;
        }
        if (first) {
            all.remove(this);
            puts.close();
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

    /**
     * Asks peers to give their access back until they have. Again and again, since one may learn of its access only after it
     * was asked. Returns whether the thread was interrupted, which ends the wait.
     */
    private boolean awaitUnused(Duration patience) {
        long end = System.nanoTime() + patience.toNanos();
        try {
            awaitOpened();
            while (isUsed() && end - System.nanoTime() > 0) {
                present().forEach(access -> access.link().sender().answers().askToRetire(access.id()));
                awaitChange(Math.min(ASK_AGAIN_NANOS, end - System.nanoTime()));
            }
            return false;
        } catch (InterruptedException e) {
            return true;
        }
    }

    private synchronized List<GrantedRegion> present() {
        return List.copyOf(granted);
    }

    private synchronized boolean isUsed() {
        return opening > 0 || !granted.isEmpty();
    }

    /** Waits until nobody is about to get access: whoever is, does not wait for peers, only for the device. */
    private synchronized void awaitOpened() throws InterruptedException {
        long end = System.nanoTime() + OPENING_NANOS;
        while (opening > 0 && end - System.nanoTime() > 0) {
            wait(Math.max(1, (end - System.nanoTime()) / 1_000_000));
        }
    }

    /** Waits until nobody has access, at most the given time. */
    private synchronized void awaitChange(long nanos) throws InterruptedException {
        long end = System.nanoTime() + nanos;
        while (isUsed() && end - System.nanoTime() > 0) {
            wait(Math.max(1, (end - System.nanoTime()) / 1_000_000));
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
        RuntimeException problem = null;
        for (GrantedRegion access : present()) {
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
            problem = isUsed() ? new IllegalStateException("The device is still opening it to a peer") : release();
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
