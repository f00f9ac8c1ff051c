package io.tensorfabric.verbs.ibverbs;

import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.verbs.Errno;
import io.tensorfabric.verbs.QueuePairCapabilities;
import io.tensorfabric.verbs.ReceiveRequests;
import io.tensorfabric.verbs.SendFlag;
import io.tensorfabric.verbs.SendRequests;
import io.tensorfabric.verbs.VerbsException;

/**
 * Tells a full queue, which callers wait out, from a request that will never be taken. Drivers use ENOMEM for both, so
 * the refused request is looked at.
 */
final class RefusedPosts {

    private RefusedPosts() {}

    /** The number of accepted sends when the queue is full, else throws. */
    static int send(String name, int errno, int accepted, SendRequests requests, QueuePairCapabilities limits) {
        if (errno != Errno.ENOMEM.number()) {
            throw refused("ibv_post_send", errno, "request " + accepted + " on the " + name, accepted);
        }
        long request = requests.address() + (long) accepted * SendRequests.STRIDE;
        int elements = OffHeap.getInt(request + SendRequests.OFFSET_ELEMENT_COUNT);
        boolean inline = (OffHeap.getInt(request + SendRequests.OFFSET_FLAGS) & SendFlag.INLINE) != 0;
        if (elements > limits.maxSendElements()) {
            throw tooMany("ibv_post_send", name, accepted, elements, limits.maxSendElements());
        }
        if (inline && length(request, elements) > limits.maxInlineData()) {
            throw refused(
                    "ibv_post_send",
                    Errno.EINVAL.number(),
                    "request " + accepted + " on the " + name + " has more than " + limits.maxInlineData()
                            + " bytes of inline data",
                    accepted);
        }
        return accepted;
    }

    private static long length(long request, int elements) {
        long bytes = 0;
        for (int i = 0; i < elements; i++) {
            long element = request + SendRequests.OFFSET_ELEMENTS + (long) i * SendRequests.ELEMENT_STRIDE;
            bytes += Integer.toUnsignedLong(OffHeap.getInt(element + Long.BYTES));
        }
        return bytes;
    }

    /** The number of accepted receives when the queue is full, else throws. */
    static int receive(String call, String name, int errno, int accepted, ReceiveRequests requests, int maxElements) {
        if (errno != Errno.ENOMEM.number()) {
            throw refused(call, errno, "receive " + accepted + " on the " + name, accepted);
        }
        long request = requests.address() + (long) accepted * ReceiveRequests.STRIDE;
        int elements = OffHeap.getInt(request + ReceiveRequests.OFFSET_ELEMENT_COUNT);
        if (elements > maxElements) {
            throw tooMany(call, name, accepted, elements, maxElements);
        }
        return accepted;
    }

    private static VerbsException tooMany(String call, String name, int accepted, int elements, int most) {
        return refused(
                call,
                Errno.EINVAL.number(),
                "request " + accepted + " on the " + name + " has " + elements + " elements, more than " + most,
                accepted);
    }

    private static VerbsException refused(String call, int errno, String detail, int accepted) {
        return new VerbsException(call, Errno.ofNumber(errno), detail, accepted);
    }
}
