package io.tensorfabric.verbs;

import io.tensorfabric.memory.MemoryProvider;
import io.tensorfabric.offheap.OffHeap;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One side of a test: an open device with a protection domain, and everything made there. */
final class Node implements AutoCloseable {

    /** Sizes that most tests use. */
    static final QueuePairCapabilities CAPABILITIES = new QueuePairCapabilities(128, 128, 4, 4, 64);

    static final int CQ_ENTRIES = 512;

    private final VerbsContractTest subject;
    private final Closer closer = new Closer();
    private final VerbsContext context;
    private final ProtectionDomain domain;
    private final int port;
    private final PortAttributes portAttributes;
    private final GidEntry gid;

    Node(VerbsContractTest subject, VerbsContext context, int port) {
        this.subject = subject;
        this.context = closer.add(context);
        this.port = port;
        this.portAttributes = context.queryPort(port);
        this.gid = subject.chooseGid(context.queryGidTable(port));
        this.domain = closer.add(context.allocateProtectionDomain());
    }

    VerbsContext context() {
        return context;
    }

    ProtectionDomain domain() {
        return domain;
    }

    int port() {
        return port;
    }

    PortAttributes portAttributes() {
        return portAttributes;
    }

    GidEntry gid() {
        return gid;
    }

    /** Has a resource closed with this node, before all that were made earlier. */
    <T extends AutoCloseable> T closing(T resource) {
        return closer.add(resource);
    }

    ProtectionDomain anotherDomain() {
        return closing(context.allocateProtectionDomain());
    }

    CompletionQueue completionQueue(int entries) {
        return closing(context.createCompletionQueue(entries, null));
    }

    CompletionQueue completionQueue(int entries, CompletionChannel channel) {
        return closing(context.createCompletionQueue(entries, channel));
    }

    CompletionChannel channel() {
        return closing(context.createCompletionChannel());
    }

    SharedReceiveQueue sharedReceiveQueue(int requests) {
        return closing(domain.createSharedReceiveQueue(requests, 4));
    }

    /** Zeroed memory with local and all remote rights. */
    Buffer buffer(int bytes) {
        return buffer(bytes, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ);
    }

    Buffer buffer(int bytes, AccessFlag... access) {
        return buffer(domain, bytes, access);
    }

    Buffer buffer(ProtectionDomain owner, int bytes, AccessFlag... access) {
        MemoryProvider provider = subject.memory();
        long address = provider.allocate(bytes, OffHeap.pageSize());
        OffHeap.fill(address, bytes, (byte) 0);
        try {
            return closing(new Buffer(provider, address, bytes, owner.registerMemory(address, bytes, Set.of(access))));
        } catch (RuntimeException ex) {
            provider.free(address);
            throw ex;
        }
    }

    Endpoint endpoint() {
        return endpoint(CAPABILITIES);
    }

    Endpoint endpoint(QueuePairCapabilities capabilities) {
        CompletionQueue sends = completionQueue(CQ_ENTRIES);
        CompletionQueue receives = completionQueue(CQ_ENTRIES);
        return endpoint(options(sends, receives, null, capabilities));
    }

    /** A queue pair on completion queues that the caller chooses. */
    Endpoint endpoint(CompletionQueue sends, CompletionQueue receives) {
        return endpoint(options(sends, receives, null, CAPABILITIES));
    }

    Endpoint endpoint(SharedReceiveQueue shared) {
        return endpoint(options(completionQueue(CQ_ENTRIES), completionQueue(CQ_ENTRIES), shared, CAPABILITIES));
    }

    Endpoint endpoint(QueuePairOptions options) {
        return closing(new Endpoint(subject, this, options));
    }

    static QueuePairOptions options(
            CompletionQueue sends,
            CompletionQueue receives,
            @Nullable SharedReceiveQueue shared,
            QueuePairCapabilities capabilities) {
        return new QueuePairOptions(QueuePairType.RC, sends, receives, shared, capabilities, false);
    }

    @Override
    public void close() {
        closer.close();
    }
}
