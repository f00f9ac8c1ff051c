package io.tensorfabric.transfer;

import io.tensorfabric.connection.ConnectionException;
import io.tensorfabric.connection.SharedMemoryRequest;
import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.memory.cuda.CopyNotEndedException;
import io.tensorfabric.memory.cuda.GpuExport;
import io.tensorfabric.memory.cuda.GpuMemory;
import io.tensorfabric.offheap.OffHeap;
import java.security.SecureRandom;

/** Makes landing zones that a peer on the same host opens by itself. */
final class SharedZones {

    /** Bytes at the start of a zone by which the peer knows it. */
    static final int PROOF_BYTES = 16;

    private static final long UNIT = 2L << 20;

    private static final SecureRandom RANDOM = new SecureRandom();

    private static final String HOLDER = "proof of a landing zone";

    private SharedZones() {}

    static long size(long bytes) {
        return (bytes + UNIT - 1) / UNIT * UNIT;
    }

    /**
     * The GPU whose memory a process may open.
     *
     * @throws ConnectionException if there is none, or the process cannot be one of this host
     */
    static GpuMemory gpu(Engine engine, String peer, SharedMemoryRequest opener) {
        GpuMemory gpu = engine.memory().gpus().landingGpu();
        if (gpu == null) {
            throw refused(peer, "tensors do not land in a GPU there");
        }
        if (!engine.memory().gpus().cudaIpc()) {
            throw refused(peer, "CUDA IPC is switched off there");
        }
        ThisProcess self = ThisProcess.current();
        if (self == null || !self.host().equals(opener.host())) {
            throw refused(peer, "it is on another host, or does not share a namespace of processes");
        }
        return gpu;
    }

    private static ConnectionException refused(String peer, String why) {
        return new ConnectionException(ConnectionException.Kind.REFUSED, peer, "No zone by CUDA IPC: " + why);
    }

    /** Allocates it. Blocks. */
    static SharedLanding make(
            Engine engine, GpuMemory gpu, long size, String peerNodeId, SharedMemoryRequest opener, Runnable freed) {
        byte[] proof = new byte[PROOF_BYTES];
        RANDOM.nextBytes(proof);
        long token = RANDOM.nextLong() & Long.MAX_VALUE;
        GpuExport export = gpu.export(size);
        try {
            BufferLease host = engine.memory().acquire(PROOF_BYTES, HOLDER, gpu.copyTimeout());
            try {
                OffHeap.copyFromArray(proof, 0, host.address(), PROOF_BYTES);
                gpu.copies().toDevice(host.address(), export.address(), PROOF_BYTES, gpu.copyTimeout());
            } catch (RuntimeException e) {
                CopyNotEndedException.giveBack(e, host::close);
                throw e;
            }
            host.close();
            return new SharedLanding(engine.landings(), export, peerNodeId, opener, proof, token, freed);
        } catch (RuntimeException e) {
            CopyNotEndedException.giveBack(e, export::close);
            throw e;
        }
    }
}
