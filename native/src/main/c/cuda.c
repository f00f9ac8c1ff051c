/* Calls of the CUDA driver that JCuda does not bind, by dlopen, so that the shim loads without a driver. */
#include "shim.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

/* CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX and _TO_OWNER. */
enum { DMA_BUF_FD = 1, CURRENT_CONTEXT = 0, TO_OWNER = 100, NOT_SUPPORTED = 801 };

static int (*export_range)(void *handle, unsigned long long address, size_t size, int type, unsigned long long flags);
static int (*flush_writes)(int target, int scope);

int tf_cuda_open(void)
{
    /* Kept open for the life of the process: JCuda uses the same library. */
    void *handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    void *symbol;

    if (!handle)
        return -ENOENT;
    symbol = dlsym(handle, "cuMemGetHandleForAddressRange");
    memcpy(&export_range, &symbol, sizeof symbol);
    symbol = dlsym(handle, "cuFlushGPUDirectRDMAWrites");
    memcpy(&flush_writes, &symbol, sizeof symbol);
    return export_range || flush_writes ? 0 : -ENOSYS;
}

int64_t tf_cuda_export(uint64_t address, uint64_t length)
{
    int fd = -1;
    int result = export_range ? export_range(&fd, address, length, DMA_BUF_FD, 0) : NOT_SUPPORTED;

    return result ? -(int64_t)result : fd;
}

int tf_cuda_flush(void)
{
    return flush_writes ? flush_writes(CURRENT_CONTEXT, TO_OWNER) : NOT_SUPPORTED;
}
