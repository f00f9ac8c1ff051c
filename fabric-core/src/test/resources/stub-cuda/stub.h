/*
 * A STUB of the CUDA driver for tests: no GPU is behind it. It keeps the rules of the real driver that the fabric relies
 * on: a stack of contexts for each thread, streams and events that run later, device pointers that the processor must
 * not touch, pinned host memory, handles for other processes. "Device memory" is a memfd that is mapped twice: without
 * any access at the device pointer, and readable for the stub's own engine.
 */
#ifndef STUB_H
#define STUB_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int CUresult;
typedef int CUdevice;
typedef uint64_t CUdeviceptr;
typedef struct stub_context *CUcontext;
typedef struct stub_stream *CUstream;
typedef struct stub_event *CUevent;

enum {
    OK = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NOT_INITIALIZED = 3,
    NO_DEVICE = 100,
    INVALID_DEVICE = 101,
    INVALID_CONTEXT = 201,
    INVALID_HANDLE = 400,
    NOT_FOUND = 500,
    NOT_READY = 600,
    PINNED_ALREADY = 712,
    NOT_PINNED = 713,
    NOT_SUPPORTED = 801,
};

enum { MAX_DEVICES = 4, PAGE = 4096, GRANULE = 512, BLOCK = 2 << 20, SMALL = 1 << 20 };

#define EXPORT __attribute__((visibility("default")))

/* Counts the call, and returns early when an error was injected or the driver is not initialised. */
#define ENTER(name)                                                                                                    \
    do {                                                                                                               \
        CUresult stub_entered = stub_enter(#name, true);                                                               \
        if (stub_entered != OK)                                                                                        \
            return stub_entered;                                                                                       \
    } while (0)

/* The same for calls that need a current context. */
#define ENTER_CONTEXT(name)                                                                                            \
    do {                                                                                                               \
        ENTER(name);                                                                                                   \
        if (!stub_current())                                                                                           \
            return INVALID_CONTEXT;                                                                                    \
    } while (0)

struct stub_context {
    CUdevice device;
    int references;
    bool primary;
    CUstream legacy;
};

/* A part of a block that has a file of its own: what a dma-buf names. */
struct stub_segment {
    uint64_t offset;
    uint64_t size;
    int fd;
    struct stub_segment *next;
};

/* Memory of a device with its two mappings. */
struct stub_block {
    uint8_t *pointer;
    uint8_t *memory;
    uint64_t size;
    CUdevice device;
    bool shared;
    bool imported;
    bool exported;
    /* The addresses belong to a reservation and stay mapped. */
    bool reserved;
    uint64_t used;
    struct stub_segment *segments;
    struct stub_block *next;
};

struct stub_allocation {
    CUdeviceptr address;
    uint64_t size;
    uint64_t buffer_id;
    CUcontext context;
    CUdevice device;
    struct stub_block *block;
    bool sync_memops;
    bool virtual_memory;
    struct stub_allocation *next;
};

/* What a test may switch. */
struct stub_settings {
    long devices;
    long memory;
    long dmabuf;
    long peermem;
    long gdr;
    long vmm;
    long vmm_rdma;
    long ordering;
    long flush;
    long bar1;
    long ipc;
    /* Handles may be opened by the process that they are of, which no real driver allows. */
    long ipc_self;
    long delay_us;
    long copy_mbps;
};

extern struct stub_settings stub_settings;
extern pthread_mutex_t stub_lock;
/* Read by copies, written by what changes mappings. */
extern pthread_rwlock_t stub_engine;

CUresult stub_enter(const char *name, bool needs_init);
CUcontext stub_current(void);
CUresult stub_check_device(CUdevice device);
void stub_reset_driver(void);
void stub_reset_share(void);
void stub_reset_streams(void);
long stub_contexts(void);

/* memory.c; callers hold stub_lock for the look-ups. */
struct stub_allocation *stub_find(CUdeviceptr address, uint64_t size);
uint8_t *stub_translate(CUdeviceptr address, uint64_t size);
/* How many bytes from an address on lie in one allocation, at most size; 0 for none. */
uint64_t stub_contiguous(CUdeviceptr address, uint64_t size);
/* Whether a range is device memory, of one allocation or of mappings side by side. */
bool stub_is_device(CUdeviceptr address, uint64_t size);
bool stub_is_pinned(const void *address, uint64_t size);
struct stub_block *stub_block_create(uint64_t size, CUdevice device);
struct stub_block *stub_block_import(int fd, uint64_t size, CUdevice device);
void stub_block_destroy(struct stub_block *block);
struct stub_allocation *stub_adopt(struct stub_block *block, CUdeviceptr address, uint64_t size, CUcontext context);
bool stub_forget(CUdeviceptr address);
long stub_allocations(void);
long stub_allocated_bytes(void);
long stub_pins(void);
/* Memory that was freed while another process had it open, after which the real driver promises nothing. */
long stub_freed_while_open(void);

/* stream.c */
enum stub_op_kind { OP_COPY, OP_SET, OP_RECORD, OP_WAIT, OP_JOIN };
struct stub_op {
    enum stub_op_kind kind;
    uint64_t target;
    uint64_t source;
    uint64_t size;
    int value;
    CUevent event;
    CUstream stream;
    uint64_t ticket;
    struct stub_op *next;
};
CUresult stub_submit(CUstream stream, struct stub_op op, bool wait);
void stub_drain_context(CUcontext context);
CUstream stub_stream_create(CUcontext context, unsigned flags);
void stub_stream_destroy(CUstream stream);
long stub_streams(void);
long stub_events(void);
long stub_pageable_copies(void);

#endif
