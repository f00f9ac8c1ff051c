package io.tensorfabric.verbs.ibverbs;

/**
 * The native methods of the verbs shim. They take handles (addresses of libibverbs objects), addresses of structures
 * with the layout of {@link Layout} and plain numbers. They return 0, a handle or a count, or a negative errno; posts
 * return what was accepted in the lower half and a positive errno in the upper one.
 *
 * <p>Nothing is checked here: a handle that is not live crashes the process. {@link NativeHandle} sees to it.
 */
final class NativeVerbs {

    /** Upper half of a post's result: the next request is a bind and needs {@link #postBind}. */
    static final int BIND_FOLLOWS = 0x10000;

    /** As {@link #BIND_FOLLOWS}: the next request is a local invalidation and needs {@link #postInvalidation}. */
    static final int INVALIDATION_FOLLOWS = 0x10001;

    private NativeVerbs() {}

    /** Writes sizes and offsets of the shared structures as ints and returns how many there are. */
    static native int layout(long out, int capacity);

    /** Writes the version of the library, with a zero byte at its end. */
    static native int version(long out, int size);

    /** Loads libibverbs, or writes why that failed. To be called once, before all methods below. */
    static native int openLibrary(long text, int size);

    /** A file descriptor by which waits can be ended. */
    static native int createWake();

    static native int signalWake(int wake);

    static native int closeWake(int wake);

    /** Writes names of {@link Layout#NAME_SIZE} bytes each. */
    static native int listDevices(long names, int capacity);

    static native long openDevice(long name);

    static native int closeDevice(long context);

    static native int queryDevice(long context, long out);

    static native int probeInline(long context);

    static native int queryPort(long context, int port, long out);

    static native int queryGids(long context, int port, int tableLength, long out, int capacity);

    /** 0 with an event written, -ETIMEDOUT, -EINTR when woken, or -EAGAIN when another thread took the event. */
    static native int awaitEvent(long context, int wake, long nanos, long out);

    static native long createDomain(long context);

    static native int destroyDomain(long domain);

    static native long createRegion(long domain, long address, long length, int access);

    static native long createDmaBufRegion(
            long domain, long offset, long length, long address, int fileDescriptor, int access);

    static native int destroyRegion(long region);

    static native int regionLocalKey(long region);

    static native int regionRemoteKey(long region);

    static native long createWindow(long domain);

    static native int destroyWindow(long window);

    static native int windowKey(long window);

    /** Finds the CUDA driver; to be called once, before the three methods below. */
    static native int openCuda();

    /** A file descriptor, or minus the CUDA driver's error. */
    static native long exportDmaBuf(long address, long length);

    static native int closeDmaBuf(int fileDescriptor);

    /** The CUDA driver's result. */
    static native int flushGpuWrites();

    static native long createChannel(long context);

    static native int destroyChannel(long channel);

    /** The id of the queue whose event was taken, or an errno as of {@link #awaitEvent}. */
    static native long awaitCompletion(long channel, int wake, long nanos);

    static native long createCompletionQueue(long context, int entries, long id, long channel);

    static native int destroyCompletionQueue(long queue);

    static native int completionQueueCapacity(long queue);

    static native int poll(long queue, long completions, int capacity);

    static native int arm(long queue, int solicitedOnly);

    static native long createSharedQueue(long domain, int maxRequests, int maxElements, long id, long granted);

    static native int destroySharedQueue(long queue);

    static native int armLimit(long queue, int limit);

    static native long createQueuePair(
            long domain, long id, long sendQueue, long receiveQueue, long sharedQueue, long options);

    static native int destroyQueuePair(long queuePair);

    static native int queuePairNumber(long queuePair);

    static native int modify(long queuePair, long attributes, int mask);

    static native int query(long queuePair, long out);

    static native int bindThread(long processors, int words);

    static native long postSend(long queuePair, long requests, int count);

    static native int postBind(long queuePair, long request, long window, long region);

    static native int postInvalidation(long queuePair, long request);

    static native long postReceive(long queuePair, long requests, int count);

    static native long postShared(long queue, long requests, int count);
}
