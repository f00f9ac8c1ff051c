package io.tensorfabric.transfer;

import io.tensorfabric.connection.RemoteGrant;
import io.tensorfabric.connection.SharedMemoryGrant;
import io.tensorfabric.connection.SharedMemoryRequest;
import io.tensorfabric.connection.ZoneGrant;
import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.memory.MemoryKind;
import io.tensorfabric.memory.cuda.GpuExport;
import io.tensorfabric.verbs.MemoryRegion;
import java.util.Base64;
import java.util.List;

/**
 * GPU memory of this node that a peer's process on the same host opens and copies to: an allocation of its own. The driver
 * has no way to take it back, so it is freed, and used for nothing else, only when no tensor is in it any more and the peer has
 * closed it or its process has ended. Thread-safe.
 */
final class SharedLanding implements BufferLease {

    private final SharedLandings all;

    private final GpuExport export;

    private final String peerNodeId;

    private final SharedMemoryRequest opener;

    private final byte[] proof;

    private final long token;

    private final Runnable freed;

    private boolean unused;

    private boolean closedByPeer;

    private boolean over;

    /** @param freed called once, when the memory is free again */
    SharedLanding(
            SharedLandings all,
            GpuExport export,
            String peerNodeId,
            SharedMemoryRequest opener,
            byte[] proof,
            long token,
            Runnable freed) {
        this.all = all;
        this.export = export;
        this.peerNodeId = peerNodeId;
        this.opener = opener;
        this.proof = proof;
        this.token = token;
        this.freed = freed;
    }

    /** The grant of a zone here, which gives no right to any lane. */
    RemoteGrant grant() {
        return new RemoteGrant() {
            @Override
            public long address() {
                return export.address();
            }

            @Override
            public long length() {
                return export.length();
            }

            @Override
            public int rkey(int lane) {
                throw new IllegalStateException("The zone is not written through lanes");
            }

            @Override
            public void close() {
                // What the peer has open ends with its word, or with its process.
            }
        };
    }

    ZoneGrant describe(int zoneId, boolean dedicated) {
        Base64.Encoder text = Base64.getEncoder();
        SharedMemoryGrant shared =
                new SharedMemoryGrant(text.encodeToString(export.handle()), text.encodeToString(proof), token);
        return new ZoneGrant(zoneId, 0, export.length(), kind().toString(), List.of(), dedicated, shared);
    }

    @Override
    public long address() {
        return export.address();
    }

    @Override
    public long length() {
        return export.length();
    }

    @Override
    public MemoryKind kind() {
        return export.kind();
    }

    @Override
    public MemoryRegion region() {
        throw new IllegalStateException("This memory is not registered: no device reaches it");
    }

    String peerNodeId() {
        return peerNodeId;
    }

    long token() {
        return token;
    }

    boolean isOf(SharedMemoryRequest other) {
        return opener.isOf(other);
    }

    boolean openerHasEnded() {
        return ThisProcess.hasEnded(opener.process(), opener.started());
    }

    /** The connection is down or the zone given back, and no tensor is in it. */
    @Override
    public void close() {
        boolean wait;
        synchronized (this) {
            unused = true;
            wait = !closedByPeer;
        }
        if (wait) {
            all.await(this);
        } else {
            free();
        }
    }

    /** The peer's process has it open no more. */
    void closedByPeer() {
        boolean last;
        synchronized (this) {
            closedByPeer = true;
            last = unused;
        }
        if (last) {
            free();
        }
    }

    private void free() {
        synchronized (this) {
            if (over) {
                return;
            }
            over = true;
        }
        all.forget(this);
        export.close();
        freed.run();
    }

    @Override
    public String toString() {
        return "SharedLanding[" + export + "]";
    }
}
