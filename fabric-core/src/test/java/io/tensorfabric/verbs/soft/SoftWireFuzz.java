package io.tensorfabric.verbs.soft;

import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.verbs.AccessFlag;
import io.tensorfabric.verbs.MemoryRegion;
import io.tensorfabric.verbs.Opcode;
import io.tensorfabric.verbs.SendFlag;
import io.tensorfabric.verbs.WorkCompletionStatus;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;

/**
 * Fuzz target: what a peer of the software device may send after its handshake, and in it. Whatever comes, only memory that
 * was opened to the peer changes, and the connection ends by a refusal or a protocol failure and nothing else.
 *
 * <p>Keys and addresses are random, so small numbers in an input stand for them: an rkey below 4 for the one of that number,
 * an address below 1 MiB for an offset into the memory.
 */
public final class SoftWireFuzz {

    private static final int MEMORY = 1 << 16;

    private static final int OPEN = 1 << 12;

    /** Where the region that may be written begins, where the one that may be read, where receives lie. */
    private static final int WRITABLE = 1 << 14;

    private static final int READABLE = 2 << 14;

    private static final int RECEIVES = 3 << 14;

    private static final int READ_BYTES = 100;

    private static final byte CANARY = 0x5a;

    private static final int MOST_READS = 100_000;

    private static final SoftWireFuzz TARGET = new SoftWireFuzz();

    private final End end = new End(SoftDeviceOptions.defaults().withName("softF"), MEMORY);

    private final End peer = new End(SoftDeviceOptions.defaults().withName("softP"), 4096);

    private final MemoryRegion writable = end.domain.registerMemory(
            end.memory + WRITABLE, OPEN, EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE));

    private final MemoryRegion readable =
            end.domain.registerMemory(end.memory + READABLE, OPEN, EnumSet.of(AccessFlag.REMOTE_READ));

    private final MemoryRegion local =
            end.domain.registerMemory(end.memory + RECEIVES, OPEN, EnumSet.of(AccessFlag.LOCAL_WRITE));

    private final Pair pair;

    private long executed;

    private SoftWireFuzz() {
        End.connect(end, peer);
        pair = ((SoftContext) end.context).engine().pair(end.pair.number());
    }

    /** How many messages were executed. */
    public static long executed() {
        return TARGET.executed;
    }

    /** Runs one input, whose first byte chooses what it is; called by the fuzzer by name. */
    public static void fuzzerTestOneInput(byte[] data) {
        if (data.length < 2) {
            return;
        }
        ByteBuffer input = ByteBuffer.wrap(data, 2, data.length - 2).slice();
        int piece = 1 + (data[1] & 0xff) * 16;
        switch (data[0] & 3) {
            case 0 -> TARGET.requests(input, piece);
            case 1 -> TARGET.answers(input, piece);
            default -> handshake(input);
        }
    }

    private void requests(ByteBuffer input, int piece) {
        OffHeap.fill(end.memory, MEMORY, CANARY);
        for (int i = 0; i < 4; i++) {
            end.receives.clear().add(i).local(end.memory + RECEIVES + i * 256L, 256, local.lkey());
            end.pair.postReceive(end.receives);
        }
        MemoryAccess access = new MemoryAccess(pair.engine().keys());
        Answers answers = new Answers(pair);
        MessageExecutor executor = new MessageExecutor(pair, access, answers);
        FrameReader reader = new FrameReader(Wire.REQUEST_HEADER, access, executor);
        ArrayChannel channel = new ArrayChannel(substituted(input), piece);
        FramePath path = new ArrayPath(channel);
        executor.connected(4096, true);
        try {
            drive(reader, channel, () -> answers.flush(path));
            answers.flush(path);
        } catch (Wire.ProtocolException refused) {
            // As it should be.
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            executed += executor.expected();
            executor.flush();
            executor.disconnected();
            reader.free();
            executor.free();
            answers.free();
            drain();
        }
        checkUntouched(0, WRITABLE);
        checkUntouched(WRITABLE + OPEN, RECEIVES);
        checkUntouched(RECEIVES + 4 * 256, MEMORY);
    }

    /** Whoever asks for a ring gets none. */
    private record ArrayPath(ArrayChannel output) implements FramePath {
        @Override
        public void writeTo(ByteRing ring) {
            throw new IllegalStateException("No ring was offered");
        }
    }

    /** Something that may go on after answers have left. */
    private interface Step {
        void run() throws IOException;
    }

    private static void drive(FrameReader reader, ArrayChannel channel, Step between) throws IOException {
        for (int i = 0; i < MOST_READS; i++) {
            reader.read(channel, Wire.SEGMENT);
            between.run();
            if (channel.isExhausted()) {
                return;
            }
        }
        throw new IllegalStateException("The reader makes no progress");
    }

    /** Puts keys and addresses into the headers of frames that follow one another. */
    private ByteBuffer substituted(ByteBuffer input) {
        byte[] bytes = new byte[input.remaining()];
        input.get(bytes);
        ByteBuffer frames = ByteBuffer.wrap(bytes);
        int at = 0;
        while (at >= 0 && at + Wire.REQUEST_HEADER <= bytes.length) {
            long address = frames.getLong(at + 16);
            if (frames.get(at) != Wire.CONTINUE && address >= 0 && address < 1 << 20) {
                frames.putLong(at + 16, end.memory + address);
            }
            int rkey = frames.getInt(at + 24);
            if (rkey >= 0 && rkey < 4) {
                frames.putInt(at + 24, key(rkey));
            }
            int length = frames.getInt(at + 28);
            at = length < 0 || length > bytes.length ? -1 : at + Wire.REQUEST_HEADER + length;
        }
        return frames;
    }

    private int key(int number) {
        return switch (number) {
            case 0 -> writable.rkey();
            case 1 -> readable.rkey();
            case 2 -> local.lkey();
            default -> end.region.lkey();
        };
    }

    /** A WRITE, a READ and a WRITE are outstanding, with the numbers 0, 1 and 2. */
    private void answers(ByteBuffer input, int piece) {
        OffHeap.fill(end.memory, MEMORY, CANARY);
        SendRing ring = new SendRing(8, 0);
        SendQueue queue = new SendQueue(pair, ring, true);
        MemoryAccess access = new MemoryAccess(pair.engine().keys());
        AnswerReader answers =
                new AnswerReader(queue, access, new Sharing(pair.engine().sharingControl()));
        FrameReader reader = new FrameReader(Wire.RESPONSE_HEADER, access, answers);
        try {
            outstanding(ring, queue, Opcode.RDMA_WRITE);
            outstanding(ring, queue, Opcode.RDMA_READ);
            outstanding(ring, queue, Opcode.RDMA_WRITE);
            queue.readsOutstanding = 1;
            drive(reader, new ArrayChannel(input, piece), () -> {
                queue.retire();
                if (answers.takeRefusal() != null) {
                    queue.failOldest(WorkCompletionStatus.REM_ACCESS_ERR);
                    throw new Wire.ProtocolException("refused");
                }
                answers.takeReceiverNotReady();
            });
        } catch (Wire.ProtocolException refused) {
            // As it should be.
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            queue.flush();
            reader.free();
            ring.free();
            drain();
        }
        if (queue.readsOutstanding < 0) {
            throw new IllegalStateException("More READs ended than were begun");
        }
        checkUntouched(0, RECEIVES);
        checkUntouched(RECEIVES + READ_BYTES, MEMORY);
    }

    private void outstanding(SendRing ring, SendQueue queue, Opcode opcode) {
        end.sends
                .clear()
                .add(queue.tail, opcode)
                .flags(SendFlag.SIGNALED)
                .remote(1, 1)
                .local(end.memory + RECEIVES, READ_BYTES, local.lkey());
        ring.copyIn(queue.tail, end.sends.address(), 0);
        SendRing.sequence(ring.slot(queue.tail), queue.nextSequence++);
        queue.tail++;
        queue.sendIndex = queue.tail;
        queue.startedIndex = queue.tail;
    }

    private static void handshake(ByteBuffer input) {
        byte[] key = new byte[2 * SoftAddress.SECRET_LENGTH];
        ByteBuffer hello = part(input, Handshake.HELLO);
        ByteBuffer challenge = part(input, Handshake.CHALLENGE);
        ByteBuffer proof = part(input, Handshake.PROOF);
        ByteBuffer accept = part(input, Handshake.ACCEPT);
        int proven = 0;
        try {
            Handshake.agreeOnVersion(hello);
            Handshake.destination(hello);
            Handshake.source(hello);
            Handshake.checkChallenge(challenge);
            Handshake.checkProof(key, hello, challenge, proof);
            proven++;
            Handshake.checkAccept(key, hello, challenge, proof, accept);
            proven++;
        } catch (IOException refused) {
            // As it should be.
        }
        if (proven > 0) {
            throw new IllegalStateException("A proof was taken that was not made with the key");
        }
        address(input);
    }

    private static void address(ByteBuffer input) {
        byte[] text = new byte[input.remaining()];
        input.get(text);
        try {
            SoftAddress address = SoftAddress.parse(new String(text, StandardCharsets.UTF_8));
            SoftAddress again = SoftAddress.parse(address.format());
            if (!again.endpoint().equals(address.endpoint())) {
                throw new IllegalStateException("An address is not what it was written as");
            }
        } catch (IllegalArgumentException refused) {
            // As it should be.
        }
    }

    private static ByteBuffer part(ByteBuffer input, int length) {
        byte[] bytes = new byte[length];
        input.get(bytes, 0, Math.min(length, input.remaining()));
        return ByteBuffer.wrap(bytes);
    }

    private void drain() {
        while (end.queue.poll(end.completions) > 0) {
            // Only the queue's room matters.
        }
    }

    private void checkUntouched(int from, int to) {
        for (long address = end.memory + from; address < end.memory + to; address += Long.BYTES) {
            if (OffHeap.getLong(address) != 0x5a5a5a5a5a5a5a5aL && address + Long.BYTES <= end.memory + to) {
                throw new IllegalStateException(
                        "Memory changed that was not open, at offset " + (address - end.memory));
            }
        }
    }
}
