package io.tensorfabric.verbs.soft;

import static io.tensorfabric.verbs.soft.Opcodes.RDMA_READ;

import io.tensorfabric.verbs.Errno;
import io.tensorfabric.verbs.QueuePairCapabilities;
import io.tensorfabric.verbs.SendFlag;
import io.tensorfabric.verbs.VerbsException;

/** Refuses send work requests that the queue pair was not made for. */
final class PostValidator implements PostCheck {

    private final Pair pair;

    private final QueuePairCapabilities capabilities;

    PostValidator(Pair pair, QueuePairCapabilities capabilities) {
        this.pair = pair;
        this.capabilities = capabilities;
    }

    @Override
    public void check(long request, int accepted) {
        int opcode = SendRing.opcode(request);
        if (!Opcodes.isKnown(opcode)) {
            throw refused("a request has the unknown operation " + opcode, accepted);
        }
        int elements = SendRing.elementCount(request);
        if (elements < 0 || elements > capabilities.maxSendElements()) {
            throw refused(
                    "a request has " + elements + " elements and the queue pair was made for "
                            + capabilities.maxSendElements(),
                    accepted);
        }
        if (SendRing.has(request, SendFlag.INLINE)) {
            checkInline(request, opcode, elements, accepted);
        }
        if (opcode == RDMA_READ && pair.config().readsAsInitiator() == 0) {
            throw refused("the queue pair was configured to start no READs (MAX_READS_AS_INITIATOR is 0)", accepted);
        }
    }

    private void checkInline(long request, int opcode, int elements, int accepted) {
        if (opcode == RDMA_READ || SendQueue.isLocal(opcode)) {
            throw refused("only writes and sends can be inline", accepted);
        }
        long bytes = MemoryAccess.totalLength(SendRing.elements(request), elements);
        if (bytes > capabilities.maxInlineData()) {
            throw refused(
                    "an inline request has " + bytes + " bytes and the queue pair was made for "
                            + capabilities.maxInlineData(),
                    accepted);
        }
    }

    private static VerbsException refused(String detail, int accepted) {
        return new VerbsException("ibv_post_send", Errno.EINVAL, detail, accepted);
    }
}
