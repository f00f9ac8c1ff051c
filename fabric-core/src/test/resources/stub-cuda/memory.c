/* STUB of the CUDA driver: device memory, pinned host memory, attributes of pointers, virtual memory management. */
#define _GNU_SOURCE
#include "stub.h"

#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

struct pin {
    uintptr_t address;
    uint64_t size;
    bool allocated;
    struct pin *next;
};

struct reservation {
    uintptr_t address;
    uint64_t size;
    struct reservation *next;
};

static struct stub_allocation *allocations;
static struct stub_block *blocks;
static struct pin *pins;
static uint64_t last_buffer_id;
static long freed_while_open;

static uint64_t round_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

static struct stub_block *map_block(int fd, uint64_t size, CUdevice device, uint8_t *at)
{
    struct stub_block *block = calloc(1, sizeof *block);
    struct stub_segment *segment = calloc(1, sizeof *segment);
    uint8_t *reserved = at;

    if (!at) {
        /* Aligned like the real thing: large pages. */
        uint8_t *raw = mmap(NULL, size + BLOCK, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

        if (raw == MAP_FAILED)
            return NULL;
        reserved = (uint8_t *)round_up((uintptr_t)raw, BLOCK);
        munmap(raw, (size_t)(reserved - raw));
        munmap(reserved + size, (size_t)(raw + BLOCK - reserved));
    }
    block->pointer = mmap(reserved, size, PROT_NONE, MAP_SHARED | MAP_FIXED, fd, 0);
    block->memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    block->size = size;
    block->device = device;
    segment->size = size;
    segment->fd = fd;
    block->segments = segment;
    block->next = blocks;
    blocks = block;
    return block;
}

struct stub_block *stub_block_create(uint64_t size, CUdevice device)
{
    int fd = memfd_create("stub-gpu", MFD_CLOEXEC);

    if (fd < 0 || ftruncate(fd, (off_t)size))
        return NULL;
    return map_block(fd, size, device, NULL);
}

struct stub_block *stub_block_import(int fd, uint64_t size, CUdevice device)
{
    struct stub_block *block = map_block(fd, size, device, NULL);

    if (block)
        block->imported = true;
    return block;
}

void stub_block_destroy(struct stub_block *block)
{
    for (struct stub_block **at = &blocks; *at; at = &(*at)->next) {
        if (*at == block) {
            *at = block->next;
            break;
        }
    }
    pthread_rwlock_wrlock(&stub_engine);
    munmap(block->memory, block->size);
    if (block->reserved)
        mmap(block->pointer, block->size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    else
        munmap(block->pointer, block->size);
    pthread_rwlock_unlock(&stub_engine);
    /* Each opener holds a lock, until it closes the memory or ends. */
    if (block->exported && flock(block->segments->fd, LOCK_EX | LOCK_NB))
        freed_while_open++;
    while (block->segments) {
        struct stub_segment *segment = block->segments;

        block->segments = segment->next;
        close(segment->fd);
        free(segment);
    }
    free(block);
}

struct stub_allocation *stub_adopt(struct stub_block *block, CUdeviceptr address, uint64_t size, CUcontext context)
{
    struct stub_allocation *added = calloc(1, sizeof *added);

    added->address = address;
    added->size = size;
    added->buffer_id = ++last_buffer_id;
    added->context = context;
    added->device = block->device;
    added->block = block;
    added->next = allocations;
    allocations = added;
    return added;
}

bool stub_forget(CUdeviceptr address)
{
    for (struct stub_allocation **at = &allocations; *at; at = &(*at)->next) {
        struct stub_allocation *gone = *at;

        if (gone->address == address) {
            struct stub_block *block = gone->block;

            *at = gone->next;
            if (block->shared)
                block->used -= round_up(gone->size, GRANULE);
            if (!block->shared || block->used == 0)
                stub_block_destroy(block);
            free(gone);
            return true;
        }
    }
    return false;
}

struct stub_allocation *stub_find(CUdeviceptr address, uint64_t size)
{
    for (struct stub_allocation *a = allocations; a; a = a->next) {
        if (address >= a->address && address - a->address < a->size && size <= a->size - (address - a->address))
            return a;
    }
    return NULL;
}

uint8_t *stub_translate(CUdeviceptr address, uint64_t size)
{
    struct stub_allocation *a = stub_find(address, size);

    return a ? a->block->memory + (address - (uintptr_t)a->block->pointer) : NULL;
}

uint64_t stub_contiguous(CUdeviceptr address, uint64_t size)
{
    struct stub_allocation *a = stub_find(address, 0);
    uint64_t left = a ? a->size - (address - a->address) : 0;

    return left < size ? left : size;
}

bool stub_is_device(CUdeviceptr address, uint64_t size)
{
    while (size > 0) {
        uint64_t part = stub_contiguous(address, size);

        if (part == 0)
            return false;
        address += part;
        size -= part;
    }
    return true;
}

bool stub_is_pinned(const void *address, uint64_t size)
{
    uintptr_t start = (uintptr_t)address;

    for (struct pin *p = pins; p; p = p->next) {
        if (start >= p->address && start - p->address <= p->size && size <= p->size - (start - p->address))
            return true;
    }
    return false;
}

long stub_freed_while_open(void)
{
    return freed_while_open;
}

long stub_allocations(void)
{
    long live = 0;

    for (struct stub_allocation *a = allocations; a; a = a->next)
        live++;
    return live;
}

long stub_allocated_bytes(void)
{
    long bytes = 0;

    for (struct stub_allocation *a = allocations; a; a = a->next)
        bytes += a->block->imported ? 0 : (long)a->size;
    return bytes;
}

long stub_pins(void)
{
    long live = 0;

    for (struct pin *p = pins; p; p = p->next)
        live++;
    return live;
}

/* A place for a small allocation in a block that it shares with others, first fit. */
static bool place_small(uint64_t size, CUdevice device, struct stub_block **block, CUdeviceptr *address)
{
    for (struct stub_block *b = blocks; b; b = b->next) {
        uint64_t offset = 0;
        bool moved = true;

        if (!b->shared || b->device != device)
            continue;
        while (moved) {
            moved = false;
            for (struct stub_allocation *a = allocations; a; a = a->next) {
                uint64_t start = a->address - (uintptr_t)b->pointer;

                if (a->block == b && start < offset + size && start + round_up(a->size, GRANULE) > offset) {
                    offset = start + round_up(a->size, GRANULE);
                    moved = true;
                }
            }
        }
        if (offset + size <= b->size) {
            *block = b;
            *address = (uintptr_t)b->pointer + offset;
            return true;
        }
    }
    *block = stub_block_create(BLOCK, device);
    if (!*block)
        return false;
    (*block)->shared = true;
    *address = (uintptr_t)(*block)->pointer;
    return true;
}

EXPORT CUresult cuMemAlloc_v2(CUdeviceptr *pointer, size_t size)
{
    struct stub_block *block;
    CUdeviceptr address;
    bool placed;

    ENTER_CONTEXT(cuMemAlloc);
    if (size == 0)
        return INVALID_VALUE;
    pthread_mutex_lock(&stub_lock);
    if ((long)size > stub_settings.memory - stub_allocated_bytes()) {
        placed = false;
    } else if (size < SMALL) {
        placed = place_small(round_up(size, GRANULE), stub_current()->device, &block, &address);
        if (placed)
            block->used += round_up(size, GRANULE);
    } else {
        block = stub_block_create(round_up(size, BLOCK), stub_current()->device);
        placed = block != NULL;
        address = placed ? (uintptr_t)block->pointer : 0;
    }
    if (placed) {
        stub_adopt(block, address, size, stub_current());
        *pointer = address;
    }
    pthread_mutex_unlock(&stub_lock);
    return placed ? OK : OUT_OF_MEMORY;
}

EXPORT CUresult cuMemFree_v2(CUdeviceptr pointer)
{
    struct stub_allocation *a;
    bool freed;

    ENTER_CONTEXT(cuMemFree);
    pthread_mutex_lock(&stub_lock);
    a = stub_find(pointer, 0);
    pthread_mutex_unlock(&stub_lock);
    if (!a || a->address != pointer || a->virtual_memory)
        return INVALID_VALUE;
    stub_drain_context(a->context);
    pthread_mutex_lock(&stub_lock);
    freed = stub_forget(pointer);
    pthread_mutex_unlock(&stub_lock);
    return freed ? OK : INVALID_VALUE;
}

EXPORT CUresult cuMemGetInfo_v2(size_t *available, size_t *total)
{
    ENTER_CONTEXT(cuMemGetInfo);
    pthread_mutex_lock(&stub_lock);
    *total = (size_t)stub_settings.memory;
    *available = *total - (size_t)stub_allocated_bytes();
    pthread_mutex_unlock(&stub_lock);
    return OK;
}

EXPORT CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *size, CUdeviceptr pointer)
{
    struct stub_allocation *a;

    ENTER(cuMemGetAddressRange);
    pthread_mutex_lock(&stub_lock);
    a = stub_find(pointer, 0);
    if (a && base)
        *base = a->address;
    if (a && size)
        *size = a->size;
    pthread_mutex_unlock(&stub_lock);
    return a ? OK : NOT_FOUND;
}

static CUresult pin(uintptr_t address, uint64_t size, bool allocated)
{
    struct pin *added;

    for (struct pin *p = pins; p; p = p->next) {
        if (address < p->address + p->size && p->address < address + size)
            return PINNED_ALREADY;
    }
    added = calloc(1, sizeof *added);
    added->address = address;
    added->size = size;
    added->allocated = allocated;
    added->next = pins;
    pins = added;
    return OK;
}

static CUresult unpin(uintptr_t address, bool allocated)
{
    for (struct pin **at = &pins; *at; at = &(*at)->next) {
        struct pin *gone = *at;

        if (gone->address == address && gone->allocated == allocated) {
            *at = gone->next;
            if (allocated)
                munmap((void *)address, gone->size);
            free(gone);
            return OK;
        }
    }
    return NOT_PINNED;
}

EXPORT CUresult cuMemHostRegister_v2(void *address, size_t size, unsigned flags)
{
    CUresult result;

    ENTER_CONTEXT(cuMemHostRegister);
    (void)flags;
    if (!address || !size)
        return INVALID_VALUE;
    pthread_mutex_lock(&stub_lock);
    result = pin((uintptr_t)address, size, false);
    pthread_mutex_unlock(&stub_lock);
    return result;
}

EXPORT CUresult cuMemHostUnregister(void *address)
{
    CUresult result;

    ENTER_CONTEXT(cuMemHostUnregister);
    pthread_mutex_lock(&stub_lock);
    result = unpin((uintptr_t)address, false);
    pthread_mutex_unlock(&stub_lock);
    return result;
}

EXPORT CUresult cuMemAllocHost_v2(void **address, size_t size)
{
    void *memory;

    ENTER_CONTEXT(cuMemAllocHost);
    memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!size || memory == MAP_FAILED)
        return OUT_OF_MEMORY;
    pthread_mutex_lock(&stub_lock);
    pin((uintptr_t)memory, size, true);
    pthread_mutex_unlock(&stub_lock);
    *address = memory;
    return OK;
}

EXPORT CUresult cuMemFreeHost(void *address)
{
    CUresult result;

    ENTER_CONTEXT(cuMemFreeHost);
    pthread_mutex_lock(&stub_lock);
    result = unpin((uintptr_t)address, true);
    pthread_mutex_unlock(&stub_lock);
    return result == OK ? OK : INVALID_VALUE;
}

static CUresult attribute(void *value, int name, struct stub_allocation *a)
{
    switch (name) {
    case 1: *(CUcontext *)value = a->virtual_memory ? NULL : a->context; return OK;
    case 2: *(unsigned *)value = 2; return OK;
    case 3: *(CUdeviceptr *)value = a->address; return OK;
    case 6: *(unsigned *)value = a->sync_memops; return OK;
    case 7: *(uint64_t *)value = a->buffer_id; return OK;
    case 8: *(unsigned *)value = 0; return OK;
    case 9: *(int *)value = a->device; return OK;
    case 10: *(unsigned *)value = !a->virtual_memory && !a->block->imported; return OK;
    case 11: *(CUdeviceptr *)value = a->address; return OK;
    case 12: *(size_t *)value = a->size; return OK;
    case 18: *(size_t *)value = a->size; return OK;
    case 19: *(CUdeviceptr *)value = a->address; return OK;
    case 20: *(uint64_t *)value = a->buffer_id; return OK;
    case 13: *(unsigned *)value = 1; return OK;
    case 15: *(unsigned *)value = stub_settings.gdr && (!a->virtual_memory || stub_settings.vmm_rdma); return OK;
    default: return INVALID_VALUE;
    }
}

EXPORT CUresult cuPointerGetAttribute(void *value, int name, CUdeviceptr pointer)
{
    struct stub_allocation *a;
    CUresult result;

    ENTER(cuPointerGetAttribute);
    pthread_mutex_lock(&stub_lock);
    a = stub_find(pointer, 0);
    result = a ? attribute(value, name, a) : INVALID_VALUE;
    if (!a && name == 2 && stub_is_pinned((void *)pointer, 1)) {
        *(unsigned *)value = 1;
        result = OK;
    }
    pthread_mutex_unlock(&stub_lock);
    return result;
}

EXPORT CUresult cuPointerSetAttribute(const void *value, int name, CUdeviceptr pointer)
{
    struct stub_allocation *a;

    ENTER(cuPointerSetAttribute);
    pthread_mutex_lock(&stub_lock);
    a = stub_find(pointer, 0);
    if (a && name == 6 && !a->virtual_memory)
        a->sync_memops = *(const unsigned *)value != 0;
    pthread_mutex_unlock(&stub_lock);
    if (!a || name != 6)
        return INVALID_VALUE;
    /* The real driver refuses it for memory of the virtual memory management too. */
    return a->virtual_memory ? NOT_SUPPORTED : OK;
}
