package io.tensorfabric.verbs.soft;

import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.offheap.SharedBlock;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The blocks of shared memory that a requester has announced on the present connection. It opens nothing that this end
 * could not read anyway, and for reading only; keys and bounds of what is written are checked as always. Guarded by the
 * queue pair's receive lock.
 */
final class SourceTable {

    /** Blocks of one connection. */
    static final int MAX_BLOCKS = 256;

    private static final Logger log = LoggerFactory.getLogger(SourceTable.class);

    private final SharedSources sources;

    private final SharedSources.@Nullable Source[] table = new SharedSources.Source[MAX_BLOCKS];

    private final byte[] token = new byte[SharedBlock.TOKEN_BYTES];

    private int count;

    private boolean local;

    private long word;

    private long generation;

    private @Nullable RingPair rings;

    SourceTable(SharedSources sources) {
        this.sources = sources;
    }

    void connected(boolean isLocal) {
        local = isLocal;
    }

    /** Number of the block that was announced last. */
    int last() {
        return count - 1;
    }

    /** Reads an announcement after its type, and maps the block; returns whether it can be read. */
    boolean read(ByteBuffer in) throws IOException {
        boolean isRing = (in.get() & Wire.FLAG_RING) != 0;
        in.getShort();
        int number = in.getInt();
        long newGeneration = in.getLong();
        long process = in.getLong();
        int descriptor = in.getInt();
        int wordOffset = in.getInt();
        long bytes = in.getLong();
        in.get(token);
        if (number != count || count == MAX_BLOCKS) {
            throw new Wire.ProtocolException("Shared memory was announced out of turn");
        }
        count++;
        boolean may = local && (number == 0 || word != 0);
        if (isRing) {
            return may && number != 0 && openRings(process, descriptor, bytes);
        }
        boolean opened = may && open(number, process, descriptor, bytes);
        if (opened && number == 0) {
            SharedSources.Source control = table[0];
            long at = control == null || wordOffset % Long.BYTES != 0 ? 0 : control.locate(wordOffset, Long.BYTES);
            if (at == 0) {
                throw new Wire.ProtocolException("The word of shared memory lies outside of it");
            }
            word = at;
            generation = newGeneration;
        }
        return opened;
    }

    private boolean open(int number, long process, int descriptor, long bytes) {
        try {
            table[number] = sources.open(process, descriptor, bytes, token);
            return true;
        } catch (IOException | RuntimeException e) {
            log.debug(
                    "A peer on this host shares memory that cannot be mapped; bytes come by the socket: {}",
                    e.toString());
            return false;
        }
    }

    private boolean openRings(long process, int descriptor, long bytes) throws IOException {
        if (rings != null) {
            throw new Wire.ProtocolException("A connection has one pair of rings");
        }
        try {
            rings = RingPair.open(process, descriptor, bytes, token);
            return true;
        } catch (IOException | RuntimeException e) {
            log.debug("A peer on this host offers rings that cannot be mapped: {}", e.toString());
            return false;
        }
    }

    /** The rings of the connection, by which its requests come from now on. */
    RingPair rings() throws Wire.ProtocolException {
        RingPair present = rings;
        if (present == null) {
            throw new Wire.ProtocolException("Requests are to come by a ring that was not offered");
        }
        return present;
    }

    /** Where bytes are that a message names, if the requester has not ended the connection already. */
    long locate(int number, long offset, long length) throws IOException {
        SharedSources.Source source = number > 0 && number < count ? table[number] : null;
        long address = source == null ? 0 : source.locate(offset, length);
        if (address == 0) {
            throw new Wire.ProtocolException("A message lies outside the shared memory");
        }
        checkCurrent();
        return address;
    }

    /**
     * Throws when the requester may have given the memory to somebody else: before a copy, so that none begins, and after it,
     * so that nothing of it is taken for the message.
     */
    void checkCurrent() throws IOException {
        VarHandle.fullFence();
        if (OffHeap.getLong(word) != generation) {
            throw new Wire.ProtocolException("The requester has ended the connection");
        }
    }

    /** The connection is gone. */
    void clear() {
        local = false;
        word = 0;
        RingPair old = rings;
        rings = null;
        if (old != null) {
            old.close();
        }
        for (int i = 0; i < count; i++) {
            SharedSources.Source source = table[i];
            table[i] = null;
            if (source != null) {
                sources.close(source);
            }
        }
        count = 0;
    }
}
