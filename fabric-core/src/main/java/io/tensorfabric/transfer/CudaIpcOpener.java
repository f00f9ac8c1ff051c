package io.tensorfabric.transfer;

import io.tensorfabric.connection.ConnectionException;
import io.tensorfabric.connection.SharedMemoryGrant;
import io.tensorfabric.connection.SharedMemoryRequest;
import io.tensorfabric.connection.ZoneGrant;
import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.memory.cuda.CopyNotEndedException;
import io.tensorfabric.memory.cuda.GpuImport;
import io.tensorfabric.memory.cuda.GpuMemory;
import io.tensorfabric.offheap.OffHeap;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** Asks a peer on the same host for a zone, opens it, and tries it. Blocks; without any lock. */
record CudaIpcOpener(CudaIpcLink link, GpuMemory gpu) {

    private static final String HOLDER = "trial of a peer's landing zone";

    /**
     * A zone that this node's GPU can copy to.
     *
     * @param bytes size for one large tensor, 0 for a zone of many
     * @throws RuntimeException whose message says why there is none
     */
    PeerZone open(long bytes, Duration timeout) {
        OpenedZones all = link.engine().opened();
        SharedMemoryRequest request = all.begin();
        if (request == null) {
            throw new IllegalStateException("this system does not tell which process this is (/proc)");
        }
        try {
            ZoneGrant grant = link.connection().requestZone(bytes, request, timeout);
            SharedMemoryGrant shared = grant.shared();
            boolean fits = grant.size() >= bytes && grant.dedicated() == bytes > 0;
            if (shared == null || !fits) {
                throw new ConnectionException(
                        ConnectionException.Kind.MALFORMED,
                        link.connection().peerName(),
                        "A landing zone by CUDA IPC was asked for, and another one given");
            }
            all.opened(shared.token());
            return open(grant, shared);
        } finally {
            all.end();
        }
    }

    private PeerZone open(ZoneGrant grant, SharedMemoryGrant shared) {
        GpuImport opened = null;
        try {
            opened = gpu.open(Base64.getDecoder().decode(shared.handle()));
            tryOut(opened, Base64.getDecoder().decode(shared.proof()));
            return new PeerZone(grant, opened, shared.token());
        } catch (CopyNotEndedException e) {
            GpuImport left = opened;
            e.whenEnded(() -> link.engine().cleanUp(() -> end(grant, shared, left)));
            throw e;
        } catch (RuntimeException e) {
            end(grant, shared, opened);
            throw e;
        }
    }

    private void end(ZoneGrant grant, SharedMemoryGrant shared, @Nullable GpuImport opened) {
        if (link.close(opened, shared.token())) {
            link.refuse(grant);
        }
    }

    /** Reads the proof, copies it within the zone, and reads the copy. */
    private void tryOut(GpuImport opened, byte[] proof) {
        if (proof.length != SharedZones.PROOF_BYTES) {
            throw new IllegalArgumentException("the peer's proof is of another length");
        }
        Duration timeout = gpu.copyTimeout();
        BufferLease host = link.engine().memory().acquire(proof.length, HOLDER, timeout);
        try {
            read(opened.address(), host, proof, timeout);
            gpu.copies().onDevice(opened.address(), opened.address() + proof.length, proof.length, timeout);
            read(opened.address() + proof.length, host, proof, timeout);
        } catch (RuntimeException e) {
            CopyNotEndedException.giveBack(e, host::close);
            throw e;
        }
        host.close();
    }

    private void read(long address, BufferLease host, byte[] expected, Duration timeout) {
        byte[] found = new byte[expected.length];
        gpu.copies().toHost(address, host.address(), found.length, timeout);
        OffHeap.copyToArray(host.address(), found, 0, found.length);
        if (!Arrays.equals(found, expected)) {
            throw new IllegalStateException("what this GPU opened is not the memory that the peer meant");
        }
    }
}
