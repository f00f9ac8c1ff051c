package io.tensorfabric.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.verbs.AccessFlag;
import io.tensorfabric.verbs.CompletionQueue;
import io.tensorfabric.verbs.GidEntry;
import io.tensorfabric.verbs.Mtu;
import io.tensorfabric.verbs.Opcode;
import io.tensorfabric.verbs.PathAddress;
import io.tensorfabric.verbs.ProtectionDomain;
import io.tensorfabric.verbs.QueuePair;
import io.tensorfabric.verbs.QueuePairAttributes;
import io.tensorfabric.verbs.QueuePairCapabilities;
import io.tensorfabric.verbs.QueuePairOptions;
import io.tensorfabric.verbs.QueuePairState;
import io.tensorfabric.verbs.SendFlag;
import io.tensorfabric.verbs.SendRequests;
import io.tensorfabric.verbs.VerbsContext;
import io.tensorfabric.verbs.WorkCompletionStatus;
import io.tensorfabric.verbs.WorkCompletions;
import java.time.Duration;
import java.util.Set;
import org.awaitility.Awaitility;

/** Two connected queue pairs of one device. */
final class LoopbackPair implements AutoCloseable {

    private static final int PORT = 1;

    private static final int PSN = 4711;

    private final CompletionQueue completionQueue;

    private final QueuePair sender;

    private final QueuePair receiver;

    private final SendRequests requests = SendRequests.allocate(1);

    private final WorkCompletions completions = WorkCompletions.allocate(1);

    LoopbackPair(VerbsContext context, ProtectionDomain domain) {
        completionQueue = context.createCompletionQueue(16, null);
        QueuePairOptions options =
                QueuePairOptions.reliableConnected(completionQueue, new QueuePairCapabilities(4, 4, 1, 1, 0));
        sender = domain.createQueuePair(options);
        receiver = domain.createQueuePair(options);
        GidEntry gid = context.queryGidTable(PORT).get(0);
        connect(sender, receiver, gid);
        connect(receiver, sender, gid);
    }

    private static void connect(QueuePair self, QueuePair peer, GidEntry gid) {
        self.modify(QueuePairAttributes.to(QueuePairState.INIT)
                .pkeyIndex(0)
                .port(PORT)
                .accessFlags(Set.of(AccessFlag.REMOTE_WRITE))
                .build());
        self.modify(QueuePairAttributes.to(QueuePairState.RTR)
                .path(new PathAddress(gid.gid(), 0, gid.index(), 0, 0, 64, peer.providerAddress()))
                .pathMtu(Mtu.MTU_1024)
                .destinationQpn(peer.number())
                .receivePsn(PSN)
                .maxReadsAsTarget(1)
                .minRnrTimer(12)
                .build());
        self.modify(QueuePairAttributes.to(QueuePairState.RTS)
                .timeout(16)
                .retryCount(6)
                .rnrRetry(6)
                .sendPsn(PSN)
                .maxReadsAsInitiator(1)
                .build());
    }

    void write(long source, long length, int lkey, long target, int rkey) {
        requests.clear();
        requests.add(1, Opcode.RDMA_WRITE)
                .flags(SendFlag.SIGNALED)
                .remote(target, rkey)
                .local(source, Math.toIntExact(length), lkey);
        assertThat(sender.postSend(requests)).isEqualTo(1);
        Awaitility.await()
                .atMost(Duration.ofSeconds(10))
                .pollInterval(Duration.ofMillis(1))
                .until(() -> completionQueue.poll(completions) == 1);
        assertThat(completions.status(0)).isEqualTo(WorkCompletionStatus.SUCCESS);
    }

    @Override
    public void close() {
        sender.close();
        receiver.close();
        completionQueue.close();
        requests.close();
        completions.close();
    }
}
