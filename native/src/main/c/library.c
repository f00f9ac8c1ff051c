/* libibverbs by dlopen, so that the shim loads where rdma-core is absent. */
#include "shim.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char library_name[] = "libibverbs.so.1";

struct tf_library tf_library;

struct symbol {
    const char *name;
    size_t offset;
    bool optional;
};

#define REQUIRED(field) {"ibv_" #field, offsetof(struct tf_library, field), false}
#define OPTIONAL(symbol, field) {symbol, offsetof(struct tf_library, field), true}

static const struct symbol symbols[] = {
    REQUIRED(get_device_list),
    REQUIRED(free_device_list),
    REQUIRED(get_device_name),
    REQUIRED(open_device),
    REQUIRED(close_device),
    REQUIRED(query_device),
    REQUIRED(query_port),
    REQUIRED(alloc_pd),
    REQUIRED(dealloc_pd),
    REQUIRED(reg_mr),
    REQUIRED(dereg_mr),
    REQUIRED(create_comp_channel),
    REQUIRED(destroy_comp_channel),
    REQUIRED(create_cq),
    REQUIRED(destroy_cq),
    REQUIRED(get_cq_event),
    REQUIRED(ack_cq_events),
    REQUIRED(create_srq),
    REQUIRED(modify_srq),
    REQUIRED(destroy_srq),
    REQUIRED(create_qp),
    REQUIRED(modify_qp),
    REQUIRED(query_qp),
    REQUIRED(destroy_qp),
    REQUIRED(get_async_event),
    REQUIRED(ack_async_event),
    OPTIONAL("_ibv_query_gid_table", query_gid_table),
    OPTIONAL("ibv_reg_mr_iova2", reg_mr_iova2),
    OPTIONAL("ibv_reg_dmabuf_mr", reg_dmabuf_mr),
};

static int fail(char *text, size_t size, const char *reason, int error)
{
    snprintf(text, size, "%s", reason ? reason : "no reason given");
    return error;
}

int tf_library_open(char *text, size_t size)
{
    struct tf_library table = {0};
    /* Kept open for the life of the process: drivers register threads and exit handlers. */
    void *handle = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);

    if (!handle)
        return fail(text, size, dlerror(), -ENOENT);
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        void *address = dlsym(handle, symbols[i].name);

        if (!address && !symbols[i].optional) {
            fail(text, size, dlerror(), -ENOSYS);
            dlclose(handle);
            return -ENOSYS;
        }
        memcpy((char *)&table + symbols[i].offset, &address, sizeof address);
    }
    tf_library = table;
    return 0;
}

int tf_errno(void)
{
    return errno > 0 ? -errno : -EIO;
}

int tf_status(int rc)
{
    if (rc == 0)
        return 0;
    if (rc == -1)
        return tf_errno();
    return rc > 0 ? -rc : rc;
}
