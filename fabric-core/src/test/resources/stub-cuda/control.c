/* STUB of the CUDA driver: what tests in Java switch and read, io.tensorfabric.testing.cuda.StubCuda. */
#include "stub.h"

#include <jni.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NAME(method) Java_io_tensorfabric_testing_cuda_StubCuda_##method

int stub_set(const char *name, long value);
void stub_visible(const char *text);
void stub_fail(const char *name, int code, long skip, long times);
long stub_calls(const char *name);
void stub_uuid(int physical, int mig, char *text, size_t size);
long stub_exports(void);
long stub_flushes(void);
long stub_physicals(void);
int64_t stub_peer_address(CUdeviceptr address, uint64_t size);
CUresult cuMemGetHandleForAddressRange(void *handle, CUdeviceptr address, size_t size, int type,
                                       unsigned long long flags);
CUresult cuFlushGPUDirectRDMAWrites(int target, int scope);

static const char *chars(JNIEnv *env, jstring text, char *buffer, size_t size)
{
    const char *utf = (*env)->GetStringUTFChars(env, text, NULL);

    snprintf(buffer, size, "%s", utf);
    (*env)->ReleaseStringUTFChars(env, text, utf);
    return buffer;
}

JNIEXPORT jint JNICALL NAME(set0)(JNIEnv *env, jclass type, jstring name, jlong value)
{
    char buffer[64];

    (void)type;
    return stub_set(chars(env, name, buffer, sizeof buffer), value);
}

JNIEXPORT void JNICALL NAME(visible0)(JNIEnv *env, jclass type, jstring list)
{
    char buffer[512];

    (void)type;
    stub_visible(list ? chars(env, list, buffer, sizeof buffer) : NULL);
}

JNIEXPORT void JNICALL NAME(fail0)(JNIEnv *env, jclass type, jstring name, jint code, jlong skip, jlong times)
{
    char buffer[64];

    (void)type;
    stub_fail(chars(env, name, buffer, sizeof buffer), code, skip, times);
}

JNIEXPORT jlong JNICALL NAME(calls0)(JNIEnv *env, jclass type, jstring name)
{
    char buffer[64];

    (void)type;
    return stub_calls(chars(env, name, buffer, sizeof buffer));
}

JNIEXPORT jlong JNICALL NAME(count0)(JNIEnv *env, jclass type, jstring name)
{
    char buffer[64];
    const char *what = chars(env, name, buffer, sizeof buffer);
    jlong count = -1;

    (void)type;
    pthread_mutex_lock(&stub_lock);
    if (strcmp(what, "contexts") == 0)
        count = stub_contexts();
    else if (strcmp(what, "streams") == 0)
        count = stub_streams();
    else if (strcmp(what, "events") == 0)
        count = stub_events();
    else if (strcmp(what, "allocations") == 0)
        count = stub_allocations();
    else if (strcmp(what, "bytes") == 0)
        count = stub_allocated_bytes();
    else if (strcmp(what, "pins") == 0)
        count = stub_pins();
    else if (strcmp(what, "pageable-copies") == 0)
        count = stub_pageable_copies();
    else if (strcmp(what, "exports") == 0)
        count = stub_exports();
    else if (strcmp(what, "flushes") == 0)
        count = stub_flushes();
    else if (strcmp(what, "freed-while-open") == 0)
        count = stub_freed_while_open();
    else if (strcmp(what, "physicals") == 0)
        count = stub_physicals();
    pthread_mutex_unlock(&stub_lock);
    return count;
}

JNIEXPORT void JNICALL NAME(reset0)(JNIEnv *env, jclass type)
{
    static const struct stub_settings defaults = {2, 8L << 30, 1, 1, 1, 1, 1, 0, 1, 64L << 30, 1, 0, 0, 0};

    (void)env;
    (void)type;
    stub_settings = defaults;
    stub_visible(NULL);
    stub_reset_driver();
    stub_reset_share();
    stub_reset_streams();
}

JNIEXPORT jstring JNICALL NAME(uuid0)(JNIEnv *env, jclass type, jint physical, jint mig)
{
    char text[64];

    (void)type;
    stub_uuid(physical, mig, text, sizeof text);
    return (*env)->NewStringUTF(env, text);
}

JNIEXPORT jlong JNICALL NAME(peerAddress0)(JNIEnv *env, jclass type, jlong address, jlong length)
{
    (void)env;
    (void)type;
    return stub_peer_address((CUdeviceptr)address, (uint64_t)length);
}

/* Where the bytes of device memory are for the processor; only tests may look. */
JNIEXPORT jlong JNICALL NAME(look0)(JNIEnv *env, jclass type, jlong address, jlong length)
{
    uint8_t *memory;

    (void)env;
    (void)type;
    pthread_mutex_lock(&stub_lock);
    memory = stub_translate((CUdeviceptr)address, (uint64_t)length);
    pthread_mutex_unlock(&stub_lock);
    return (jlong)(uintptr_t)memory;
}

/* A file descriptor, or minus the driver's error. */
JNIEXPORT jlong JNICALL NAME(exportDmaBuf0)(JNIEnv *env, jclass type, jlong address, jlong length)
{
    int fd = -1;
    CUresult result = cuMemGetHandleForAddressRange(&fd, (CUdeviceptr)address, (size_t)length, 1, 0);

    (void)env;
    (void)type;
    return result == OK ? fd : -(jlong)result;
}

JNIEXPORT void JNICALL NAME(close0)(JNIEnv *env, jclass type, jint fd)
{
    (void)env;
    (void)type;
    close(fd);
}

JNIEXPORT jint JNICALL NAME(flush0)(JNIEnv *env, jclass type, jint scope)
{
    (void)env;
    (void)type;
    return cuFlushGPUDirectRDMAWrites(0, scope);
}

struct properties {
    int type;
    int handle_types;
    int location_type;
    int location;
};

CUresult cuMemAddressReserve(CUdeviceptr *pointer, size_t size, size_t alignment, CUdeviceptr wanted,
                             unsigned long long flags);
CUresult cuMemAddressFree(CUdeviceptr pointer, size_t size);
CUresult cuMemCreate(void **handle, size_t size, const struct properties *properties, unsigned long long flags);
CUresult cuMemMap(CUdeviceptr pointer, size_t size, size_t offset, void *handle, unsigned long long flags);
CUresult cuMemSetAccess(CUdeviceptr pointer, size_t size, const void *description, size_t count);
CUresult cuMemUnmap(CUdeviceptr pointer, size_t size);
CUresult cuMemRelease(void *handle);

/* Memory of several segments, by the virtual memory management; JCuda's own cuMemCreate damages the Java heap. */
JNIEXPORT jlong JNICALL NAME(segments0)(JNIEnv *env, jclass type, jint count, jlong size)
{
    static const struct properties properties = {1, 0, 1, 0};
    CUdeviceptr start;
    CUresult result = cuMemAddressReserve(&start, (size_t)(count * size), 0, 0, 0);

    (void)env;
    (void)type;
    for (int i = 0; i < count && result == OK; i++) {
        CUdeviceptr at = start + (CUdeviceptr)(i * size);
        void *handle;

        result = cuMemCreate(&handle, (size_t)size, &properties, 0);
        if (result == OK)
            result = cuMemMap(at, (size_t)size, 0, handle, 0);
        if (result == OK)
            result = cuMemSetAccess(at, (size_t)size, &properties, 1);
        if (result == OK)
            result = cuMemRelease(handle);
    }
    return result == OK ? (jlong)start : -(jlong)result;
}

JNIEXPORT jint JNICALL NAME(freeSegments0)(JNIEnv *env, jclass type, jlong start, jint count, jlong size)
{
    CUresult result = OK;

    (void)env;
    (void)type;
    for (int i = 0; i < count && result == OK; i++)
        result = cuMemUnmap((CUdeviceptr)(start + i * size), (size_t)size);
    return result == OK ? cuMemAddressFree((CUdeviceptr)start, (size_t)(count * size)) : result;
}
