/* STUB of the CUDA driver: dma-bufs, peer memory, handles for other processes, virtual memory. */
#define _GNU_SOURCE
#include "stub.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

/* A CUmemGenericAllocationHandle. */
struct physical {
    int fd;
    uint64_t size;
    CUdevice device;
    int references;
};

/* The beginning of CUmemAllocationProp. */
struct properties {
    int type;
    int handle_types;
    int location_type;
    int location;
};

static long exports;
static long flushes;
static long physicals;

void stub_reset_share(void)
{
    exports = 0;
    flushes = 0;
}

EXPORT long stub_exports(void)
{
    return exports;
}

EXPORT long stub_flushes(void)
{
    return flushes;
}

EXPORT long stub_physicals(void)
{
    return physicals;
}

EXPORT int stub_open_fd(int pid, int fd)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%d/fd/%d", pid, fd);
    return open(path, O_RDWR | O_CLOEXEC);
}

/* Moves a part of a block to a file of its own, so that its dma-buf begins where the part does. */
static struct stub_segment *rehome(struct stub_block *block, uint64_t offset, uint64_t size)
{
    struct stub_segment *part = calloc(1, sizeof *part);
    void *content;

    part->fd = memfd_create("stub-dma-buf", MFD_CLOEXEC);
    part->offset = offset;
    part->size = size;
    if (part->fd < 0 || ftruncate(part->fd, (off_t)size)) {
        free(part);
        return NULL;
    }
    pthread_rwlock_wrlock(&stub_engine);
    content = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, part->fd, 0);
    memcpy(content, block->memory + offset, size);
    munmap(content, size);
    mmap(block->memory + offset, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, part->fd, 0);
    mmap(block->pointer + offset, size, PROT_NONE, MAP_SHARED | MAP_FIXED, part->fd, 0);
    pthread_rwlock_unlock(&stub_engine);
    part->next = block->segments;
    block->segments = part;
    return part;
}

static int file_of(struct stub_block *block, uint64_t offset, uint64_t size)
{
    struct stub_segment *segment;

    for (segment = block->segments; segment; segment = segment->next) {
        if (segment->offset == offset && segment->size >= size)
            return dup(segment->fd);
    }
    segment = rehome(block, offset, size);
    return segment ? dup(segment->fd) : -1;
}

/* Whether all pages of a range belong to one block, as the real driver wants it. */
static struct stub_block *block_of(CUdeviceptr address, uint64_t size)
{
    for (uint64_t at = 0; at < size; at += GRANULE) {
        struct stub_allocation *a = stub_find(address + at, 0);
        uint64_t offset = a ? address - (uintptr_t)a->block->pointer : 0;

        if (a)
            return offset + size <= a->block->size ? a->block : NULL;
    }
    return NULL;
}

EXPORT CUresult cuMemGetHandleForAddressRange(void *handle, CUdeviceptr address, size_t size, int type,
                                              unsigned long long flags)
{
    struct stub_block *block;
    CUresult result = OK;
    int fd = -1;

    ENTER_CONTEXT(cuMemGetHandleForAddressRange);
    if (!stub_settings.dmabuf)
        return NOT_SUPPORTED;
    if (type != 1 || flags > 1 || !size || address % PAGE || size % PAGE)
        return INVALID_VALUE;
    if ((long)size > stub_settings.bar1)
        return OUT_OF_MEMORY;
    pthread_mutex_lock(&stub_lock);
    block = block_of(address, size);
    if (!block)
        result = INVALID_VALUE;
    else
        fd = file_of(block, address - (uintptr_t)block->pointer, size);
    if (result == OK && fd < 0)
        result = OUT_OF_MEMORY;
    exports += result == OK;
    pthread_mutex_unlock(&stub_lock);
    *(int *)handle = fd;
    return result;
}

EXPORT CUresult cuFlushGPUDirectRDMAWrites(int target, int scope)
{
    ENTER_CONTEXT(cuFlushGPUDirectRDMAWrites);
    if (target != 0 || (scope != 100 && scope != 200))
        return INVALID_VALUE;
    if (!(stub_settings.flush & 1))
        return NOT_SUPPORTED;
    __atomic_add_fetch(&flushes, 1, __ATOMIC_RELAXED);
    return OK;
}

/* What the kernel's peer-memory client answers: where a device reaches the range; 0 if it is not the stub's, -1 not now. */
EXPORT int64_t stub_peer_address(CUdeviceptr address, uint64_t size)
{
    struct stub_allocation *a;
    uint8_t *memory;

    pthread_mutex_lock(&stub_lock);
    a = stub_find(address, 0);
    memory = stub_translate(address, size);
    pthread_mutex_unlock(&stub_lock);
    if (!a)
        return 0;
    return stub_settings.peermem && memory && (long)size <= stub_settings.bar1 && !a->virtual_memory
               ? (int64_t)(uintptr_t)memory
               : -1;
}

struct memory_handle {
    int pid;
    int fd;
    uint64_t block_size;
    uint64_t offset;
    uint64_t size;
    uint64_t unused[4];
};

EXPORT CUresult cuIpcGetMemHandle(struct memory_handle *handle, CUdeviceptr pointer)
{
    struct stub_allocation *a;
    CUresult result = INVALID_VALUE;

    ENTER_CONTEXT(cuIpcGetMemHandle);
    if (!stub_settings.ipc)
        return NOT_SUPPORTED;
    pthread_mutex_lock(&stub_lock);
    a = stub_find(pointer, 0);
    if (a && !a->virtual_memory && !a->block->imported) {
        memset(handle, 0, sizeof *handle);
        handle->pid = getpid();
        handle->fd = a->block->segments->fd;
        handle->block_size = a->block->size;
        handle->offset = a->address - (uintptr_t)a->block->pointer;
        handle->size = a->size;
        a->block->exported = true;
        result = a->block->segments->next ? NOT_SUPPORTED : OK;
    }
    pthread_mutex_unlock(&stub_lock);
    return result;
}

EXPORT CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *pointer, struct memory_handle handle, unsigned flags)
{
    struct stub_block *block;
    int fd;

    ENTER_CONTEXT(cuIpcOpenMemHandle);
    (void)flags;
    if (!stub_settings.ipc)
        return NOT_SUPPORTED;
    if (handle.pid == getpid() && !stub_settings.ipc_self)
        return INVALID_CONTEXT;
    fd = stub_open_fd(handle.pid, handle.fd);
    if (fd < 0 || flock(fd, LOCK_SH | LOCK_NB)) {
        if (fd >= 0)
            close(fd);
        return INVALID_HANDLE;
    }
    pthread_mutex_lock(&stub_lock);
    block = stub_block_import(fd, handle.block_size, stub_current()->device);
    if (block) {
        *pointer = (uintptr_t)block->pointer + handle.offset;
        stub_adopt(block, *pointer, handle.size, stub_current());
    }
    pthread_mutex_unlock(&stub_lock);
    return block ? OK : OUT_OF_MEMORY;
}

EXPORT CUresult cuIpcCloseMemHandle(CUdeviceptr pointer)
{
    struct stub_allocation *a;
    CUresult result = INVALID_VALUE;

    ENTER_CONTEXT(cuIpcCloseMemHandle);
    stub_drain_context(stub_current());
    pthread_mutex_lock(&stub_lock);
    a = stub_find(pointer, 0);
    if (a && a->block->imported && a->address == pointer) {
        stub_forget(pointer);
        result = OK;
    }
    pthread_mutex_unlock(&stub_lock);
    return result;
}

EXPORT CUresult cuMemGetAllocationGranularity(size_t *granularity, const void *properties, int option)
{
    ENTER(cuMemGetAllocationGranularity);
    (void)properties;
    (void)option;
    *granularity = BLOCK;
    return OK;
}

EXPORT CUresult cuMemCreate(struct physical **handle, size_t size, const struct properties *properties,
                            unsigned long long flags)
{
    struct physical *created;

    ENTER(cuMemCreate);
    if (!stub_settings.vmm)
        return NOT_SUPPORTED;
    if (flags || !size || size % BLOCK || stub_check_device(properties->location))
        return INVALID_VALUE;
    created = calloc(1, sizeof *created);
    created->fd = memfd_create("stub-gpu-vmm", MFD_CLOEXEC);
    created->size = size;
    created->device = properties->location;
    created->references = 1;
    if (created->fd < 0 || ftruncate(created->fd, (off_t)size)) {
        free(created);
        return OUT_OF_MEMORY;
    }
    __atomic_add_fetch(&physicals, 1, __ATOMIC_RELAXED);
    *handle = created;
    return OK;
}

EXPORT CUresult cuMemRelease(struct physical *handle)
{
    ENTER(cuMemRelease);
    if (--handle->references == 0) {
        close(handle->fd);
        free(handle);
        __atomic_sub_fetch(&physicals, 1, __ATOMIC_RELAXED);
    }
    return OK;
}

EXPORT CUresult cuMemAddressReserve(CUdeviceptr *pointer, size_t size, size_t alignment, CUdeviceptr wanted,
                                    unsigned long long flags)
{
    uint8_t *raw;
    uint8_t *start;

    ENTER(cuMemAddressReserve);
    if (!size || size % BLOCK || alignment > BLOCK || wanted || flags)
        return INVALID_VALUE;
    raw = mmap(NULL, size + BLOCK, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (raw == MAP_FAILED)
        return OUT_OF_MEMORY;
    start = (uint8_t *)(((uintptr_t)raw + BLOCK - 1) / BLOCK * BLOCK);
    munmap(raw, (size_t)(start - raw));
    munmap(start + size, (size_t)(raw + BLOCK - start));
    *pointer = (uintptr_t)start;
    return OK;
}

EXPORT CUresult cuMemAddressFree(CUdeviceptr pointer, size_t size)
{
    ENTER(cuMemAddressFree);
    return munmap((void *)(uintptr_t)pointer, size) ? INVALID_VALUE : OK;
}

/* Each mapping is an allocation of its own: a segment. */
EXPORT CUresult cuMemMap(CUdeviceptr pointer, size_t size, size_t offset, struct physical *handle,
                         unsigned long long flags)
{
    struct stub_block *block;

    ENTER(cuMemMap);
    if (flags || offset || size != handle->size || pointer % BLOCK)
        return INVALID_VALUE;
    pthread_mutex_lock(&stub_lock);
    block = stub_block_import(dup(handle->fd), size, handle->device);
    if (block) {
        munmap(block->pointer, size);
        block->pointer = mmap((void *)(uintptr_t)pointer, size, PROT_NONE, MAP_SHARED | MAP_FIXED, handle->fd, 0);
        block->imported = false;
        block->reserved = true;
        stub_adopt(block, pointer, size, stub_current())->virtual_memory = true;
    }
    pthread_mutex_unlock(&stub_lock);
    return block ? OK : OUT_OF_MEMORY;
}

EXPORT CUresult cuMemSetAccess(CUdeviceptr pointer, size_t size, const void *description, size_t count)
{
    ENTER(cuMemSetAccess);
    (void)pointer;
    (void)size;
    (void)description;
    return count ? OK : INVALID_VALUE;
}

EXPORT CUresult cuMemUnmap(CUdeviceptr pointer, size_t size)
{
    CUresult result;

    ENTER(cuMemUnmap);
    (void)size;
    if (stub_current())
        stub_drain_context(stub_current());
    pthread_mutex_lock(&stub_lock);
    result = stub_forget(pointer) ? OK : INVALID_VALUE;
    pthread_mutex_unlock(&stub_lock);
    return result;
}
