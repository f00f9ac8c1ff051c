package io.tensorfabric.verbs;

import io.tensorfabric.memory.HostMemoryProvider;
import io.tensorfabric.memory.MemoryProvider;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Nested;

/**
 * What every verbs provider does, told in tests. A provider's own test extends this class, opens two devices (or one
 * device twice) and, where the device differs in a way that the verbs specification leaves open, overrides one of the
 * methods below. The rest is the same for all: a device that fails here is wrong.
 *
 * <p>Waits end after {@link #patience()}, which grows with the system property {@code verbs.contract.slowness} for
 * emulated machines.
 */
public abstract class VerbsContractTest {

    private static final double SLOWNESS = Double.parseDouble(System.getProperty("verbs.contract.slowness", "1"));

    /** Opens the device whose queue pairs mostly send. */
    protected abstract VerbsContext openLeft();

    /** Opens the device whose queue pairs mostly receive; it may be the same as the left one. */
    protected abstract VerbsContext openRight();

    /** Port of the left device. */
    protected int leftPort() {
        return 1;
    }

    /** Port of the right device. */
    protected int rightPort() {
        return 1;
    }

    /**
     * The entry of a port's GID table to use: RoCE v2 over IPv4 first, since it is routable, then any RoCE v2, then the
     * first.
     */
    protected GidEntry chooseGid(List<GidEntry> table) {
        return table.stream()
                .filter(entry -> entry.type() == GidType.ROCE_V2 && entry.gid().isIpv4Mapped())
                .findFirst()
                .or(() -> table.stream()
                        .filter(entry -> entry.type() == GidType.ROCE_V2)
                        .findFirst())
                .orElseGet(() -> table.get(0));
    }

    private final MemoryProvider memory = newMemory();

    /** What the memory of the tests is made of. */
    protected MemoryProvider newMemory() {
        return new HostMemoryProvider();
    }

    final MemoryProvider memory() {
        return memory;
    }

    /** How long to wait for what must happen. */
    protected Duration patience() {
        return Duration.ofMillis((long) (10_000 * SLOWNESS));
    }

    /** How long to watch that something does not happen. */
    protected Duration quiet() {
        return Duration.ofMillis((long) (60 * SLOWNESS));
    }

    /** How often all of a device is closed by many threads at once. */
    protected int closingRounds() {
        return Integer.getInteger("fabric.test.closingRounds", 1000);
    }

    /** Whether an access outside a memory window's range is refused; rxe of kernel 6.1 checks rights and queue pair only. */
    protected boolean enforcesWindowRange() {
        return true;
    }

    /** Whether a region's lkey is never its rkey; rxe uses one number for both. */
    protected boolean localAndRemoteKeysDiffer() {
        return true;
    }

    /**
     * Status of a request or receive with a wrong local key, a range outside its region or a missing local right. The
     * specification says LOC_PROT_ERR; rxe mostly says LOC_QP_OP_ERR.
     */
    protected Set<WorkCompletionStatus> localProtectionStatuses() {
        return Set.of(WorkCompletionStatus.LOC_PROT_ERR, WorkCompletionStatus.LOC_QP_OP_ERR);
    }

    /** Status of a receive that is too short: LOC_LEN_ERR by the specification, LOC_QP_OP_ERR on rxe. */
    protected Set<WorkCompletionStatus> shortReceiveStatuses() {
        return Set.of(WorkCompletionStatus.LOC_LEN_ERR, WorkCompletionStatus.LOC_QP_OP_ERR);
    }

    /** Status of a send that meets a receive too short: REM_INV_REQ_ERR by the specification, REM_OP_ERR on rxe. */
    protected Set<WorkCompletionStatus> shortReceiveSenderStatuses() {
        return Set.of(WorkCompletionStatus.REM_INV_REQ_ERR, WorkCompletionStatus.REM_OP_ERR);
    }

    /** Whether receives posted to a queue pair in ERR are flushed, as the specification says; rxe keeps them for ever. */
    protected boolean flushesReceivesPostedInError() {
        return true;
    }

    /**
     * Whether a request with a wrong local key fails also behind requests in flight; on rxe of kernel 6.1 the queue pair
     * then stops now and then, without a completion and without leaving RTS.
     */
    protected boolean failsLocallyBehindOthers() {
        return true;
    }

    /**
     * Whether nothing is written any more once the responder's change to ERR has returned. On rxe a packet that is
     * being executed still lands: only closing the queue pair or the region ends it.
     */
    protected boolean stopsWritesInError() {
        return true;
    }

    /**
     * Whether a port reaches its own address. It does not where two ports of one machine are kept apart by policy
     * routing, as in a guest with two rxe devices on one cable.
     */
    protected boolean reachesItself() {
        return true;
    }

    /** Whether a queue pair with a shared receive queue tells that it took its last receive; rxe does not. */
    protected boolean reportsLastWorkRequest() {
        return true;
    }

    /** Whether the completion of a SEND_WITH_INV carries {@link WorkCompletions#FLAG_WITH_INVALIDATE}; rxe sets another bit. */
    protected boolean flagsInvalidation() {
        return true;
    }

    /** Whether unreliable datagram queue pairs can be created. */
    protected boolean supportsUnreliableDatagram() {
        return false;
    }

    /** Whether memory of another device can be registered by its dma-buf. */
    protected boolean supportsDmaBuf() {
        return false;
    }

    /** A device with these limits, for providers whose limits can be chosen. */
    protected Optional<VerbsContext> openWithLimits(ContractLimits limits) {
        return Optional.empty();
    }

    @Nested
    class Devices extends DeviceContract {
        Devices() {
            super(VerbsContractTest.this);
        }
    }

    @Nested
    class Registration extends MemoryContract {
        Registration() {
            super(VerbsContractTest.this);
        }
    }

    @Nested
    class Lifecycles extends LifecycleContract {
        Lifecycles() {
            super(VerbsContractTest.this);
        }
    }

    @Nested
    class QueuePairStates extends QueuePairStateContract {
        QueuePairStates() {
            super(VerbsContractTest.this);
        }
    }

    @Nested
    class QueuePairTransitions extends QueuePairTransitionContract {
        QueuePairTransitions() {
            super(VerbsContractTest.this);
        }
    }

    @Nested
    class Writes extends WriteContract {
        Writes() {
            super(VerbsContractTest.this);
        }
    }

    @Nested
    class WritesWithImmediate extends WriteWithImmediateContract {
        WritesWithImmediate() {
            super(VerbsContractTest.this);
        }
    }

    @Nested
    class Sends extends SendContract {
        Sends() {
            super(VerbsContractTest.this);
        }
    }

    @Nested
    class Reads extends ReadContract {
        Reads() {
            super(VerbsContractTest.this);
        }
    }

    @Nested
    class Queues extends QueueContract {
        Queues() {
            super(VerbsContractTest.this);
        }
    }

    @Nested
    class SharedReceiveQueues extends SharedReceiveQueueContract {
        SharedReceiveQueues() {
            super(VerbsContractTest.this);
        }
    }

    @Nested
    class Windows extends WindowContract {
        Windows() {
            super(VerbsContractTest.this);
        }
    }

    @Nested
    class AccessErrors extends AccessErrorContract {
        AccessErrors() {
            super(VerbsContractTest.this);
        }
    }

    @Nested
    class Flushes extends FlushContract {
        Flushes() {
            super(VerbsContractTest.this);
        }
    }

    @Nested
    class Retries extends RetryContract {
        Retries() {
            super(VerbsContractTest.this);
        }
    }

    @Nested
    class Completions extends CompletionContract {
        Completions() {
            super(VerbsContractTest.this);
        }
    }

    @Nested
    class Notifications extends NotificationContract {
        Notifications() {
            super(VerbsContractTest.this);
        }
    }

    @Nested
    class Limits extends LimitContract {
        Limits() {
            super(VerbsContractTest.this);
        }
    }

    @Nested
    class Concurrency extends ConcurrencyContract {
        Concurrency() {
            super(VerbsContractTest.this);
        }
    }

    @Nested
    class Soak extends SoakContract {
        Soak() {
            super(VerbsContractTest.this);
        }
    }
}
