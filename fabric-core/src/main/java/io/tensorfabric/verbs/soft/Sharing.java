package io.tensorfabric.verbs.soft;

import io.tensorfabric.offheap.SharedBlock;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a requester lets its responder read in place instead of sending it, which both being on one host allows: each block
 * of shared memory is announced once a connection, and used as soon as the responder has mapped it. Guarded by the queue
 * pair's send lock.
 */
final class Sharing {

    /** Not more than a responder takes; see {@link SourceTable}. */
    private static final int MAX_BLOCKS = SourceTable.MAX_BLOCKS;

    /** Payloads after which rings are worth their memory; a peer that is connected and says little has none. */
    static final int PAYLOADS_BEFORE_RINGS = 16;

    private static final byte ASKED = 0;

    private static final byte ACCEPTED = 1;

    private static final byte REFUSED = 2;

    private final SharingControl control;

    private SharingControl.@Nullable Word word;

    private boolean local;

    private final List<SharedBlock> blocks = new ArrayList<>();

    private final byte[] states = new byte[MAX_BLOCKS];

    /** The rings of this connection, and their number among the blocks; -1 while there are none. */
    private @Nullable RingPair rings;

    private int ringNumber = -1;

    private boolean ringsUsed;

    private int payloads;

    /** Announcements that are not sent. */
    private final ArrayDeque<Integer> unsent = new ArrayDeque<>();

    Sharing(SharingControl control) {
        this.control = control;
    }

    /** A connection is up. */
    void connected(boolean isLocal) {
        local = isLocal;
    }

    /** Number by which the responder knows a block that it reads in place; -1 when bytes of the block are to be sent. */
    int numberOf(SharedBlock block) {
        if (!local) {
            return -1;
        }
        for (int i = 0; i < blocks.size(); i++) {
            if (blocks.get(i) == block) {
                return states[i] == ACCEPTED ? i : -1;
            }
        }
        announce(block);
        return -1;
    }

    private void announce(SharedBlock block) {
        if (begin() && blocks.size() < MAX_BLOCKS) {
            add(block);
        } else {
            local = false;
        }
    }

    private boolean begin() {
        if (blocks.isEmpty()) {
            word = control.take();
            if (word != null) {
                add(word.block());
            }
        }
        return word != null;
    }

    /** A payload goes from memory that can be shared: after some of them rings are offered to the responder, once. */
    void payloadGoes() {
        if (!local || ringNumber >= 0 || ++payloads < PAYLOADS_BEFORE_RINGS) {
            return;
        }
        RingPair made = begin() ? RingPair.make() : null;
        SharedBlock block = made == null ? null : made.block();
        ringNumber = MAX_BLOCKS;
        if (made != null && block != null) {
            ringNumber = blocks.size();
            rings = made;
            add(block);
        }
    }

    /** The rings, once: the responder has them, and requests may go by them from now on. */
    @Nullable RingPair takeRings() {
        if (rings == null || ringsUsed || states[ringNumber] != ACCEPTED) {
            return null;
        }
        ringsUsed = true;
        return rings;
    }

    /** The rings by which requests go already. */
    RingPair usedRings() throws Wire.ProtocolException {
        RingPair present = rings;
        if (present == null || !ringsUsed) {
            throw new Wire.ProtocolException("Answers are to come by a ring that is not used");
        }
        return present;
    }

    private void add(SharedBlock block) {
        states[blocks.size()] = ASKED;
        unsent.add(blocks.size());
        blocks.add(block);
    }

    /** Puts announcements into a buffer, as many as fit; between messages only. */
    void stageAnnouncements(ByteBuffer staging) {
        while (!unsent.isEmpty() && staging.remaining() >= Wire.ANNOUNCEMENT) {
            int number = unsent.remove();
            SharedBlock block = blocks.get(number);
            staging.put(Wire.ANNOUNCE)
                    .put(number == ringNumber ? Wire.FLAG_RING : 0)
                    .putShort((short) 0)
                    .putInt(number)
                    .putLong(number == 0 && word != null ? word.generation() : 0)
                    .putLong(ProcessHandle.current().pid())
                    .putInt(block.descriptor())
                    .putInt(number == 0 && word != null ? word.offset() : 0)
                    .putLong(block.mappedBytes());
            block.putToken(staging);
        }
    }

    /** The responder has answered an announcement. */
    void answered(long number, boolean accepted) throws Wire.ProtocolException {
        if (number < 0 || number >= blocks.size() || states[(int) number] != ASKED) {
            throw new Wire.ProtocolException("An answer is about memory that was not announced");
        }
        states[(int) number] = accepted ? ACCEPTED : REFUSED;
        if (number == 0 && !accepted) {
            // Another container, or another user: nothing can be shared.
            local = false;
        }
    }

    /** Whether the responder may be reading in a block. */
    boolean isShared(SharedBlock block) {
        return word != null && blocks.contains(block);
    }

    /**
     * Nothing may be read any more: whatever was not acknowledged will never be taken in on this connection, even if the
     * responder has the request already. Before any memory is given back to its owner without an acknowledgement.
     */
    void revoke() {
        SharingControl.Word present = word;
        word = null;
        local = false;
        blocks.clear();
        unsent.clear();
        RingPair old = rings;
        rings = null;
        ringNumber = -1;
        ringsUsed = false;
        payloads = 0;
        if (old != null) {
            old.close();
        }
        if (present != null) {
            control.revoke(present);
        }
    }
}
