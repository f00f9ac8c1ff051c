/* STUB of the CUDA driver: streams and events. Each stream has a worker that does its operations later, in order. */
#define _GNU_SOURCE
#include "stub.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { NON_BLOCKING = 1, INTERPROCESS = 4 };

struct stub_stream {
    CUcontext context;
    bool blocking;
    bool dead;
    uint64_t enqueued;
    uint64_t done;
    struct stub_op *first;
    struct stub_op *last;
    pthread_cond_t work;
    pthread_t worker;
    CUstream next;
};

/* What of an event other processes see. */
struct event_state {
    uint64_t issued;
    uint64_t completed;
};

struct stub_event {
    struct event_state *state;
    CUcontext context;
    int fd;
    bool dead;
};

static CUstream streams;
static long live_events;
static long pageable_copies;
static pthread_cond_t progress = PTHREAD_COND_INITIALIZER;

static void nap(long micros)
{
    struct timespec pause = {micros / 1000000, micros % 1000000 * 1000};

    nanosleep(&pause, NULL);
}

/* Waits a little for something to happen, with stub_lock held; events of other processes are polled by this. */
static void await_progress(void)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 200000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    pthread_cond_timedwait(&progress, &stub_lock, &until);
}

/* The caller holds stub_lock. Bytes that lie in one piece come back in size. */
static void *where(uint64_t address, uint64_t *size)
{
    uint64_t part = stub_contiguous(address, *size);

    if (part == 0)
        return (void *)(uintptr_t)address;
    *size = part;
    return stub_translate(address, part);
}

static uint64_t run_part(struct stub_op *op, uint64_t done)
{
    uint64_t size = op->size - done;
    void *target;
    void *source = NULL;

    /* In this order, as where memory gets another home: that one holds stub_lock while it waits for the engines. */
    pthread_mutex_lock(&stub_lock);
    pthread_rwlock_rdlock(&stub_engine);
    target = where(op->target + done, &size);
    if (op->kind == OP_COPY)
        source = where(op->source + done, &size);
    pthread_mutex_unlock(&stub_lock);
    if (op->kind == OP_COPY)
        memmove(target, source, size);
    else if (op->kind == OP_SET)
        memset(target, op->value, size);
    pthread_rwlock_unlock(&stub_engine);
    return size;
}

static void run(struct stub_op *op)
{
    if (stub_settings.delay_us > 0)
        nap(stub_settings.delay_us);
    for (uint64_t done = 0; done < op->size;)
        done += run_part(op, done);
    if (op->kind == OP_COPY && stub_settings.copy_mbps > 0)
        nap((long)(op->size / (uint64_t)stub_settings.copy_mbps));
}

static bool must_wait(const struct stub_op *op)
{
    if (op->kind == OP_WAIT)
        return __atomic_load_n(&op->event->state->completed, __ATOMIC_ACQUIRE) < op->ticket;
    return op->kind == OP_JOIN && op->stream->done < op->ticket;
}

static void *work(void *argument)
{
    CUstream stream = argument;

    pthread_mutex_lock(&stub_lock);
    while (!stream->dead || stream->first) {
        struct stub_op *op = stream->first;

        if (!op) {
            pthread_cond_wait(&stream->work, &stub_lock);
            continue;
        }
        while (must_wait(op))
            await_progress();
        pthread_mutex_unlock(&stub_lock);
        if (op->kind == OP_COPY || op->kind == OP_SET)
            run(op);
        pthread_mutex_lock(&stub_lock);
        if (op->kind == OP_RECORD)
            __atomic_store_n(&op->event->state->completed, op->ticket, __ATOMIC_RELEASE);
        stream->first = op->next;
        if (!stream->first)
            stream->last = NULL;
        stream->done++;
        free(op);
        pthread_cond_broadcast(&progress);
    }
    pthread_mutex_unlock(&stub_lock);
    return NULL;
}

CUstream stub_stream_create(CUcontext context, unsigned flags)
{
    CUstream stream = calloc(1, sizeof *stream);

    stream->context = context;
    stream->blocking = !(flags & NON_BLOCKING);
    pthread_cond_init(&stream->work, NULL);
    pthread_mutex_lock(&stub_lock);
    stream->next = streams;
    streams = stream;
    pthread_mutex_unlock(&stub_lock);
    pthread_create(&stream->worker, NULL, work, stream);
    return stream;
}

static void append(CUstream stream, struct stub_op op)
{
    struct stub_op *added = malloc(sizeof *added);

    *added = op;
    added->next = NULL;
    if (stream->last)
        stream->last->next = added;
    else
        stream->first = added;
    stream->last = added;
    stream->enqueued++;
    pthread_cond_signal(&stream->work);
}

static bool known(CUstream stream)
{
    for (CUstream other = streams; other; other = other->next) {
        if (other == stream)
            return !stream->dead;
    }
    return false;
}

/* The legacy default stream of the current context, which waits for all blocking streams and they for it. */
static CUstream legacy(void)
{
    CUcontext context = stub_current();

    if (!context->legacy)
        context->legacy = stub_stream_create(context, 0);
    return context->legacy;
}

static void join(CUstream stream)
{
    CUcontext context = stream->context;

    if (!stream->blocking)
        return;
    if (stream != context->legacy) {
        if (context->legacy && context->legacy->done < context->legacy->enqueued)
            append(stream, (struct stub_op){
                               .kind = OP_JOIN, .stream = context->legacy, .ticket = context->legacy->enqueued});
        return;
    }
    for (CUstream other = streams; other; other = other->next) {
        if (other != stream && other->context == context && other->blocking && other->done < other->enqueued)
            append(stream, (struct stub_op){.kind = OP_JOIN, .stream = other, .ticket = other->enqueued});
    }
}

static void drain(CUstream stream)
{
    uint64_t target = stream->enqueued;

    while (stream->done < target)
        await_progress();
}

CUresult stub_submit(CUstream handle, struct stub_op op, bool wait)
{
    CUstream stream = (uintptr_t)handle <= 2 ? legacy() : handle;
    CUresult result = OK;

    pthread_mutex_lock(&stub_lock);
    if (!known(stream) || stream->context != stub_current()) {
        result = INVALID_HANDLE;
    } else {
        if (op.kind == OP_RECORD)
            op.ticket = ++op.event->state->issued;
        join(stream);
        append(stream, op);
        if (wait)
            drain(stream);
    }
    pthread_mutex_unlock(&stub_lock);
    return result;
}

void stub_drain_context(CUcontext context)
{
    pthread_mutex_lock(&stub_lock);
    for (CUstream stream = streams; stream; stream = stream->next) {
        if (stream->context == context)
            drain(stream);
    }
    pthread_mutex_unlock(&stub_lock);
}

/* Streams other than the default ones of contexts. */
long stub_streams(void)
{
    long live = 0;

    for (CUstream stream = streams; stream; stream = stream->next)
        live += !stream->dead && stream != stream->context->legacy;
    return live;
}

long stub_events(void)
{
    return live_events;
}

void stub_reset_streams(void)
{
    pageable_copies = 0;
}

long stub_pageable_copies(void)
{
    return pageable_copies;
}

EXPORT CUresult cuStreamCreate(CUstream *stream, unsigned flags)
{
    ENTER_CONTEXT(cuStreamCreate);
    *stream = stub_stream_create(stub_current(), flags);
    return OK;
}

EXPORT CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority)
{
    ENTER_CONTEXT(cuStreamCreateWithPriority);
    (void)priority;
    *stream = stub_stream_create(stub_current(), flags);
    return OK;
}

EXPORT CUresult cuStreamDestroy_v2(CUstream stream)
{
    ENTER(cuStreamDestroy);
    pthread_mutex_lock(&stub_lock);
    if (!known(stream)) {
        pthread_mutex_unlock(&stub_lock);
        return INVALID_HANDLE;
    }
    stream->dead = true;
    pthread_cond_signal(&stream->work);
    pthread_mutex_unlock(&stub_lock);
    pthread_join(stream->worker, NULL);
    return OK;
}

EXPORT CUresult cuStreamGetCtx(CUstream stream, CUcontext *context)
{
    ENTER_CONTEXT(cuStreamGetCtx);
    if ((uintptr_t)stream <= 2) {
        *context = stub_current();
        return OK;
    }
    *context = stream->context;
    return OK;
}

EXPORT CUresult cuStreamQuery(CUstream handle)
{
    CUstream stream;
    CUresult result;

    ENTER_CONTEXT(cuStreamQuery);
    stream = (uintptr_t)handle <= 2 ? legacy() : handle;
    pthread_mutex_lock(&stub_lock);
    result = !known(stream) ? INVALID_HANDLE : stream->done < stream->enqueued ? NOT_READY : OK;
    pthread_mutex_unlock(&stub_lock);
    return result;
}

EXPORT CUresult cuStreamSynchronize(CUstream handle)
{
    CUstream stream;
    CUresult result = OK;

    ENTER_CONTEXT(cuStreamSynchronize);
    stream = (uintptr_t)handle <= 2 ? legacy() : handle;
    pthread_mutex_lock(&stub_lock);
    if (known(stream)) {
        join(stream);
        drain(stream);
    } else {
        result = INVALID_HANDLE;
    }
    pthread_mutex_unlock(&stub_lock);
    return result;
}

EXPORT CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags)
{
    uint64_t issued;

    ENTER_CONTEXT(cuStreamWaitEvent);
    if (flags || !event || event->dead)
        return INVALID_HANDLE;
    issued = __atomic_load_n(&event->state->issued, __ATOMIC_ACQUIRE);
    return stub_submit(stream, (struct stub_op){.kind = OP_WAIT, .event = event, .ticket = issued}, false);
}

static CUevent event_create(int fd)
{
    CUevent event = calloc(1, sizeof *event);

    event->fd = fd;
    if (fd < 0)
        event->state = calloc(1, sizeof *event->state);
    else
        event->state = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    event->context = stub_current();
    __atomic_add_fetch(&live_events, 1, __ATOMIC_RELAXED);
    return event;
}

EXPORT CUresult cuEventCreate(CUevent *event, unsigned flags)
{
    int fd = -1;

    ENTER_CONTEXT(cuEventCreate);
    if (flags & INTERPROCESS) {
        fd = memfd_create("stub-event", MFD_CLOEXEC);
        if (fd < 0 || ftruncate(fd, PAGE))
            return OUT_OF_MEMORY;
    }
    *event = event_create(fd);
    return OK;
}

EXPORT CUresult cuEventRecord(CUevent event, CUstream stream)
{
    ENTER_CONTEXT(cuEventRecord);
    if (!event || event->dead || event->context != stub_current())
        return INVALID_HANDLE;
    return stub_submit(stream, (struct stub_op){.kind = OP_RECORD, .event = event}, false);
}

EXPORT CUresult cuEventQuery(CUevent event)
{
    ENTER(cuEventQuery);
    if (!event || event->dead)
        return INVALID_HANDLE;
    return __atomic_load_n(&event->state->completed, __ATOMIC_ACQUIRE) <
                   __atomic_load_n(&event->state->issued, __ATOMIC_ACQUIRE)
               ? NOT_READY
               : OK;
}

EXPORT CUresult cuEventSynchronize(CUevent event)
{
    ENTER(cuEventSynchronize);
    if (!event || event->dead)
        return INVALID_HANDLE;
    pthread_mutex_lock(&stub_lock);
    while (__atomic_load_n(&event->state->completed, __ATOMIC_ACQUIRE) < event->state->issued)
        await_progress();
    pthread_mutex_unlock(&stub_lock);
    return OK;
}

EXPORT CUresult cuEventDestroy_v2(CUevent event)
{
    ENTER(cuEventDestroy);
    if (!event || event->dead)
        return INVALID_HANDLE;
    /* Operations may still name it: the few bytes stay. */
    event->dead = true;
    __atomic_sub_fetch(&live_events, 1, __ATOMIC_RELAXED);
    return OK;
}

EXPORT CUresult cuIpcGetEventHandle(void *handle, CUevent event)
{
    int parts[2];

    ENTER_CONTEXT(cuIpcGetEventHandle);
    if (!stub_settings.ipc)
        return NOT_SUPPORTED;
    if (!event || event->dead || event->fd < 0)
        return INVALID_HANDLE;
    parts[0] = getpid();
    parts[1] = event->fd;
    memset(handle, 0, 64);
    memcpy(handle, parts, sizeof parts);
    return OK;
}

EXPORT int stub_open_fd(int pid, int fd);

struct ipc_handle {
    int parts[16];
};

EXPORT CUresult cuIpcOpenEventHandle(CUevent *event, struct ipc_handle handle)
{
    int fd;

    ENTER_CONTEXT(cuIpcOpenEventHandle);
    if (handle.parts[0] == getpid())
        return INVALID_CONTEXT;
    fd = stub_open_fd(handle.parts[0], handle.parts[1]);
    if (!stub_settings.ipc || fd < 0)
        return INVALID_HANDLE;
    *event = event_create(fd);
    return OK;
}

static CUresult copy(uint64_t target, uint64_t source, uint64_t size, CUstream stream, bool wait)
{
    bool pageable;

    if (size == 0)
        return OK;
    pthread_mutex_lock(&stub_lock);
    pageable = (!stub_is_device(target, size) && !stub_is_pinned((void *)(uintptr_t)target, size)) ||
               (!stub_is_device(source, size) && !stub_is_pinned((void *)(uintptr_t)source, size));
    pageable_copies += pageable;
    pthread_mutex_unlock(&stub_lock);
    return stub_submit(stream, (struct stub_op){.kind = OP_COPY, .target = target, .source = source, .size = size},
                       wait || pageable);
}

static bool on_device(CUdeviceptr address, uint64_t size)
{
    bool found;

    pthread_mutex_lock(&stub_lock);
    found = stub_is_device(address, size);
    pthread_mutex_unlock(&stub_lock);
    return found;
}

EXPORT CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr target, const void *source, size_t size, CUstream stream)
{
    ENTER_CONTEXT(cuMemcpyHtoDAsync);
    return on_device(target, size) ? copy(target, (uintptr_t)source, size, stream, false) : INVALID_VALUE;
}

EXPORT CUresult cuMemcpyDtoHAsync_v2(void *target, CUdeviceptr source, size_t size, CUstream stream)
{
    ENTER_CONTEXT(cuMemcpyDtoHAsync);
    return on_device(source, size) ? copy((uintptr_t)target, source, size, stream, false) : INVALID_VALUE;
}

EXPORT CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr target, CUdeviceptr source, size_t size, CUstream stream)
{
    ENTER_CONTEXT(cuMemcpyDtoDAsync);
    return on_device(target, size) && on_device(source, size) ? copy(target, source, size, stream, false)
                                                              : INVALID_VALUE;
}

EXPORT CUresult cuMemcpyHtoD_v2(CUdeviceptr target, const void *source, size_t size)
{
    ENTER_CONTEXT(cuMemcpyHtoD);
    return on_device(target, size) ? copy(target, (uintptr_t)source, size, NULL, true) : INVALID_VALUE;
}

EXPORT CUresult cuMemcpyDtoH_v2(void *target, CUdeviceptr source, size_t size)
{
    ENTER_CONTEXT(cuMemcpyDtoH);
    return on_device(source, size) ? copy((uintptr_t)target, source, size, NULL, true) : INVALID_VALUE;
}

/* As the real one: not finished on return. */
EXPORT CUresult cuMemcpyDtoD_v2(CUdeviceptr target, CUdeviceptr source, size_t size)
{
    ENTER_CONTEXT(cuMemcpyDtoD);
    return on_device(target, size) && on_device(source, size) ? copy(target, source, size, NULL, false)
                                                              : INVALID_VALUE;
}

static CUresult set(CUdeviceptr target, unsigned char value, size_t size, CUstream stream)
{
    if (!on_device(target, size))
        return INVALID_VALUE;
    return stub_submit(stream, (struct stub_op){.kind = OP_SET, .target = target, .value = value, .size = size}, false);
}

EXPORT CUresult cuMemsetD8Async(CUdeviceptr target, unsigned char value, size_t size, CUstream stream)
{
    ENTER_CONTEXT(cuMemsetD8Async);
    return set(target, value, size, stream);
}

EXPORT CUresult cuMemsetD8_v2(CUdeviceptr target, unsigned char value, size_t size)
{
    ENTER_CONTEXT(cuMemsetD8);
    return set(target, value, size, NULL);
}
