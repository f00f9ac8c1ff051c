package io.tensorfabric.verbs.ibverbs;

import io.tensorfabric.verbs.AccessFlag;
import io.tensorfabric.verbs.CompletionChannel;
import io.tensorfabric.verbs.CompletionQueue;
import io.tensorfabric.verbs.GidEntry;
import io.tensorfabric.verbs.MemoryRegion;
import io.tensorfabric.verbs.MemoryWindow;
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
import io.tensorfabric.verbs.SendRequests;
import io.tensorfabric.verbs.SharedReceiveQueue;
import io.tensorfabric.verbs.VerbsContext;
import io.tensorfabric.verbs.VerbsException;
import io.tensorfabric.verbs.VerbsResource;
import io.tensorfabric.verbs.WorkCompletions;
import io.tensorfabric.verbs.ibverbs.ObjectPool.Kind;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One thread's random operations on shared objects. Not thread-safe. */
final class RandomOperations implements AutoCloseable {

    private static final int LIST = 8;

    private final ObjectPool pool;
    private final Random random;
    private final SendRequests sends = SendRequests.allocate(LIST);
    private final ReceiveRequests receives = ReceiveRequests.allocate(LIST);
    private final WorkCompletions completions = WorkCompletions.allocate(LIST);
    private final Map<String, Integer> counts = new TreeMap<>();

    RandomOperations(ObjectPool pool, long seed) {
        this.pool = pool;
        this.random = new Random(seed);
    }

    Map<String, Integer> counts() {
        return counts;
    }

    /** One operation; what the API promises to throw counts as an outcome. */
    void perform() {
        String outcome;
        try {
            int choice = random.nextInt(100);
            if (choice < 25) {
                create();
            } else if (choice < 45) {
                closeAny();
            } else if (choice < 60) {
                connect();
            } else {
                use(choice);
            }
            outcome = "done";
        } catch (VerbsException ex) {
            outcome = ex.call() + " " + ex.errno();
        } catch (IllegalStateException closed) {
            outcome = "closed";
        } catch (IllegalArgumentException foreign) {
            outcome = "of another context";
        }
        counts.merge(outcome, 1, Integer::sum);
    }

    private void create() {
        Kind kind = Kind.values()[random.nextInt(Kind.values().length)];
        if (pool.isFull(kind)) {
            return;
        }
        VerbsResource created = switch (kind) {
            case CONTEXT -> pool.device(random).open();
            case DOMAIN -> with(Kind.CONTEXT, VerbsContext.class, VerbsContext::allocateProtectionDomain);
            case CHANNEL -> with(Kind.CONTEXT, VerbsContext.class, VerbsContext::createCompletionChannel);
            case QUEUE -> with(Kind.CONTEXT, VerbsContext.class, this::queue);
            case REGION -> with(Kind.DOMAIN, ProtectionDomain.class, this::region);
            case WINDOW -> with(Kind.DOMAIN, ProtectionDomain.class, ProtectionDomain::allocateMemoryWindow);
            case SHARED_QUEUE ->
                with(Kind.DOMAIN, ProtectionDomain.class, domain -> domain.createSharedReceiveQueue(16, 2));
            case QUEUE_PAIR -> with(Kind.DOMAIN, ProtectionDomain.class, this::queuePair);
        };
        if (created != null) {
            pool.add(created);
        }
    }

    private <T, R> @Nullable R with(Kind kind, Class<T> type, java.util.function.Function<T, R> action) {
        T object = pool.any(kind, type, random);
        return object == null ? null : action.apply(object);
    }

    private CompletionQueue queue(VerbsContext context) {
        CompletionChannel channel =
                random.nextBoolean() ? pool.any(Kind.CHANNEL, CompletionChannel.class, random) : null;
        return context.createCompletionQueue(1 + random.nextInt(64), channel);
    }

    private MemoryRegion region(ProtectionDomain domain) {
        Set<AccessFlag> access = EnumSet.noneOf(AccessFlag.class);
        for (AccessFlag flag : AccessFlag.values()) {
            if (random.nextInt(4) > 0) {
                access.add(flag);
            }
        }
        int start = random.nextInt(ObjectPool.MEMORY);
        return domain.registerMemory(pool.memory() + start, random.nextInt(ObjectPool.MEMORY - start) + 1L, access);
    }

    private @Nullable QueuePair queuePair(ProtectionDomain domain) {
        CompletionQueue sendQueue = pool.any(Kind.QUEUE, CompletionQueue.class, random);
        CompletionQueue receiveQueue = pool.any(Kind.QUEUE, CompletionQueue.class, random);
        if (sendQueue == null || receiveQueue == null) {
            return null;
        }
        QueuePairCapabilities sizes = new QueuePairCapabilities(16, 16, 2, 2, 32);
        QueuePairOptions options =
                QueuePairOptions.reliableConnected(sendQueue, sizes).withReceiveQueue(receiveQueue);
        SharedReceiveQueue shared =
                random.nextInt(3) == 0 ? pool.any(Kind.SHARED_QUEUE, SharedReceiveQueue.class, random) : null;
        return domain.createQueuePair(shared == null ? options : options.withSharedReceiveQueue(shared));
    }

    private void closeAny() {
        Kind kind = Kind.values()[random.nextInt(Kind.values().length)];
        VerbsResource object = pool.any(kind, random);
        if (object != null) {
            try {
                object.close();
                if (random.nextInt(4) == 0) {
                    object.close();
                }
            } finally {
                // Some closed ones stay for a while, to be used after their end.
                if (random.nextInt(3) > 0) {
                    pool.remove(kind, object);
                }
            }
        }
    }

    /** Takes a queue pair some steps towards another one, or back. */
    private void connect() {
        QueuePair self = pool.any(Kind.QUEUE_PAIR, QueuePair.class, random);
        QueuePair peer = pool.any(Kind.QUEUE_PAIR, QueuePair.class, random);
        VerbsContext context = pool.any(Kind.CONTEXT, VerbsContext.class, random);
        if (self == null || peer == null || context == null) {
            return;
        }
        if (random.nextInt(4) == 0) {
            QueuePairState[] states = QueuePairState.values();
            self.modify(QueuePairAttributes.to(states[random.nextInt(states.length)])
                    .build());
            return;
        }
        GidEntry gid = context.queryGidTable(1).get(1);
        self.modify(QueuePairAttributes.to(QueuePairState.INIT)
                .pkeyIndex(0)
                .port(1)
                .accessFlags(Set.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ))
                .build());
        self.modify(QueuePairAttributes.to(QueuePairState.RTR)
                .path(new PathAddress(gid.gid(), 0, 1, 0, 0, 64, null))
                .pathMtu(Mtu.MTU_1024)
                .destinationQpn(peer.number())
                .receivePsn(7)
                .maxReadsAsTarget(4)
                .minRnrTimer(1)
                .build());
        self.modify(QueuePairAttributes.to(QueuePairState.RTS)
                .timeout(8)
                .retryCount(1)
                .rnrRetry(1)
                .sendPsn(7)
                .maxReadsAsInitiator(4)
                .build());
    }

    private void use(int choice) {
        switch (choice % 10) {
            case 0, 1, 2 -> with(Kind.QUEUE_PAIR, QueuePair.class, this::postSends);
            case 3 -> with(Kind.QUEUE_PAIR, QueuePair.class, pair -> pair.postReceive(receives()));
            case 4 -> with(Kind.SHARED_QUEUE, SharedReceiveQueue.class, queue -> queue.post(receives()));
            case 5, 6 -> with(Kind.QUEUE, CompletionQueue.class, queue -> queue.poll(completions));
            case 7 -> with(Kind.QUEUE, CompletionQueue.class, this::arm);
            case 8 -> with(Kind.CHANNEL, CompletionChannel.class, this::await);
            default -> with(Kind.CONTEXT, VerbsContext.class, this::query);
        }
    }

    private int postSends(QueuePair pair) {
        sends.clear();
        int count = random.nextInt(LIST) + 1;
        for (int i = 0; i < count; i++) {
            addSend(i);
        }
        return pair.postSend(sends);
    }

    private void addSend(int id) {
        MemoryRegion local = pool.any(Kind.REGION, MemoryRegion.class, random);
        MemoryRegion remote = pool.any(Kind.REGION, MemoryRegion.class, random);
        MemoryWindow window = pool.any(Kind.WINDOW, MemoryWindow.class, random);
        Opcode[] opcodes = Opcode.values();
        Opcode opcode = opcodes[random.nextInt(opcodes.length)];
        if (local == null || remote == null || window == null) {
            sends.add(id, Opcode.SEND);
            return;
        }
        // Never a window's key: invalidating a window that was not bound yet panics the kernel's rxe (6.1).
        sends.add(id, opcode).flags(random.nextInt(16)).immediate(remote.rkey());
        if (opcode == Opcode.LOCAL_INV) {
            sends.remote(0, remote.rkey());
        } else if (opcode == Opcode.BIND_MW) {
            sends.bindWindow(window, local, local.address(), local.length(), window.nextRkey(), random.nextInt(8));
        } else {
            sends.remote(remote.address(), random.nextBoolean() ? remote.rkey() : window.rkey())
                    .local(local.address(), random.nextInt(4096), local.lkey());
        }
    }

    private ReceiveRequests receives() {
        receives.clear();
        int count = random.nextInt(LIST) + 1;
        for (int i = 0; i < count; i++) {
            receives.add(i);
            MemoryRegion region = pool.any(Kind.REGION, MemoryRegion.class, random);
            if (region != null) {
                receives.local(region.address(), random.nextInt(4096), region.lkey());
            }
        }
        return receives;
    }

    private Object arm(CompletionQueue queue) {
        queue.requestNotification(random.nextBoolean());
        return queue;
    }

    private Object await(CompletionChannel channel) {
        if (random.nextInt(8) == 0) {
            channel.wakeUp();
        }
        channel.await(Duration.ofMillis(random.nextInt(3)));
        return channel;
    }

    private Object query(VerbsContext context) {
        Supplier<Object> query = switch (random.nextInt(4)) {
            case 0 -> context::queryDevice;
            case 1 -> () -> context.queryPort(1);
            case 2 -> () -> context.queryGidTable(1);
            default -> () -> String.valueOf(context.awaitAsyncEvent(Duration.ofMillis(random.nextInt(2))));
        };
        return query.get();
    }

    @Override
    public void close() {
        sends.close();
        receives.close();
        completions.close();
    }
}
