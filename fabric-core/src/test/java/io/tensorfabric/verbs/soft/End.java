package io.tensorfabric.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.memory.HostMemoryProvider;
import io.tensorfabric.memory.MemoryProvider;
import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.verbs.AccessFlag;
import io.tensorfabric.verbs.AsyncEvent;
import io.tensorfabric.verbs.CompletionChannel;
import io.tensorfabric.verbs.CompletionQueue;
import io.tensorfabric.verbs.MemoryRegion;
import io.tensorfabric.verbs.Mtu;
import io.tensorfabric.verbs.Opcode;
import io.tensorfabric.verbs.PathAddress;
import io.tensorfabric.verbs.ProtectionDomain;
import io.tensorfabric.verbs.QueuePair;
import io.tensorfabric.verbs.QueuePairAttributes;
import io.tensorfabric.verbs.QueuePairCapabilities;
import io.tensorfabric.verbs.QueuePairOptions;
import io.tensorfabric.verbs.QueuePairState;
import io.tensorfabric.verbs.ReceiveRequests;
import io.tensorfabric.verbs.SendFlag;
import io.tensorfabric.verbs.SendRequests;
import io.tensorfabric.verbs.VerbsContext;
import io.tensorfabric.verbs.WorkCompletionStatus;
import io.tensorfabric.verbs.WorkCompletions;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/** One end of a connection in tests: a context with a queue pair, a completion queue and a block of memory. */
final class End implements AutoCloseable {

    static final int SEND_PSN_A = 0x123456;

    static final int SEND_PSN_B = 0x654321;

    static final Set<AccessFlag> ALL = EnumSet.of(
            AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.MEMORY_WINDOW_BIND);

    private final boolean ownsContext;

    private final MemoryProvider provider;

    final VerbsContext context;
    final ProtectionDomain domain;
    final CompletionChannel channel;
    final CompletionQueue queue;
    final QueuePair pair;
    final long memory;
    final long size;
    final MemoryRegion region;
    final SendRequests sends = SendRequests.allocate(128);
    final ReceiveRequests receives = ReceiveRequests.allocate(128);
    final WorkCompletions completions = WorkCompletions.allocate(1);

    int timeout = 14;
    int retryCount = 3;
    int rnrRetry = 7;

    End(SoftDeviceOptions options, long size) {
        this(options, size, new HostMemoryProvider());
    }

    End(SoftDeviceOptions options, long size, MemoryProvider provider) {
        this(new SoftVerbsProvider(options).devices().get(0).open(), size, provider, true);
    }

    /** Another queue pair, with its own queue and memory, in the context of an end that is closed later. */
    End(End owner, long size) {
        this(owner.context, size, owner.provider, false);
    }

    private End(VerbsContext context, long size, MemoryProvider provider, boolean ownsContext) {
        this.provider = provider;
        this.ownsContext = ownsContext;
        this.context = context;
        this.size = size;
        domain = context.allocateProtectionDomain();
        channel = context.createCompletionChannel();
        queue = context.createCompletionQueue(256, channel);
        memory = provider.allocate(size, 4096);
        OffHeap.fill(memory, size, (byte) 0);
        region = domain.registerMemory(memory, size, ALL);
        pair = domain.createQueuePair(
                QueuePairOptions.reliableConnected(queue, new QueuePairCapabilities(64, 64, 4, 4, 256)));
    }

    static PathAddress pathTo(QueuePair pair, VerbsContext context) {
        return new PathAddress(context.queryGidTable(1).get(0).gid(), 0, 0, 0, 0, 64, pair.providerAddress());
    }

    void init() {
        pair.modify(QueuePairAttributes.to(QueuePairState.INIT)
                .pkeyIndex(0)
                .port(1)
                .accessFlags(EnumSet.of(AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE))
                .build());
    }

    void readyToReceive(PathAddress peer, int peerNumber, int psn) {
        pair.modify(QueuePairAttributes.to(QueuePairState.RTR)
                .path(peer)
                .pathMtu(Mtu.MTU_4096)
                .destinationQpn(peerNumber)
                .receivePsn(psn)
                .maxReadsAsTarget(4)
                .minRnrTimer(12)
                .build());
    }

    void readyToSend(int psn) {
        pair.modify(QueuePairAttributes.to(QueuePairState.RTS)
                .timeout(timeout)
                .retryCount(retryCount)
                .rnrRetry(rnrRetry)
                .sendPsn(psn)
                .maxReadsAsInitiator(4)
                .build());
    }

    void modify(QueuePairState state) {
        pair.modify(QueuePairAttributes.to(state).build());
    }

    static void connect(End a, End b) {
        a.init();
        b.init();
        a.readyToReceive(pathTo(b.pair, b.context), b.pair.number(), SEND_PSN_B);
        b.readyToReceive(pathTo(a.pair, a.context), a.pair.number(), SEND_PSN_A);
        a.readyToSend(SEND_PSN_A);
        b.readyToSend(SEND_PSN_B);
    }

    void post(long id, Opcode opcode, long offset, long length, End peer, long peerOffset) {
        sends.clear()
                .add(id, opcode)
                .flags(SendFlag.SIGNALED)
                .remote(peer.memory + peerOffset, peer.region.rkey())
                .local(memory + offset, (int) length, region.lkey());
        assertThat(pair.postSend(sends)).isEqualTo(1);
    }

    void receive(long id, long offset, int length) {
        receives.clear().add(id).local(memory + offset, length, region.lkey());
        assertThat(pair.postReceive(receives)).isEqualTo(1);
    }

    /** Waits for one completion, left in {@link #completions}. */
    boolean poll(Duration timeout) {
        long deadline = System.nanoTime() + timeout.toNanos();
        while (queue.poll(completions) == 0) {
            if (System.nanoTime() - deadline > 0) {
                return false;
            }
            Thread.onSpinWait();
        }
        return true;
    }

    void expect(long id, WorkCompletionStatus status) {
        assertThat(poll(Duration.ofSeconds(10))).as("completion %d came", id).isTrue();
        assertThat(completions.status(0)).as("status of %d", completions.id(0)).isEqualTo(status);
        assertThat(completions.id(0)).isEqualTo(id);
        assertThat(completions.queuePairNumber(0)).isEqualTo(pair.number());
    }

    AsyncEvent event() {
        AsyncEvent event = context.awaitAsyncEvent(Duration.ofSeconds(5));
        assertThat(event).isNotNull();
        return event;
    }

    void fill(long offset, long length, int seed) {
        for (long i = 0; i < length; i++) {
            OffHeap.putByte(memory + offset + i, (byte) (i * 31 + seed));
        }
    }

    void assertFilled(long offset, long length, int seed) {
        for (long i = 0; i < length; i++) {
            if (OffHeap.getByte(memory + offset + i) != (byte) (i * 31 + seed)) {
                throw new AssertionError("byte " + i + " of " + length + " is wrong");
            }
        }
    }

    void assertUntouched(long offset, long length) {
        for (long i = 0; i < length; i++) {
            if (OffHeap.getByte(memory + offset + i) != 0) {
                throw new AssertionError("byte " + i + " of " + length + " was written");
            }
        }
    }

    @Override
    public void close() {
        pair.close();
        region.close();
        queue.close();
        channel.close();
        domain.close();
        if (ownsContext) {
            context.close();
        }
        provider.free(memory);
        sends.close();
        receives.close();
        completions.close();
    }
}
