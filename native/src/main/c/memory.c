/* Protection domains, memory regions and windows. */
#include "shim.h"

#include <errno.h>

int tf_pd_create(struct ibv_context *context, struct ibv_pd **pd)
{
    struct ibv_pd *created;

    errno = 0;
    created = tf_library.alloc_pd(context);
    if (!created)
        return tf_errno();
    *pd = created;
    return 0;
}

int tf_pd_destroy(struct ibv_pd *pd)
{
    return tf_status(tf_library.dealloc_pd(pd));
}

int tf_mr_create(struct ibv_pd *pd, uint64_t address, uint64_t length, int access, struct ibv_mr **mr)
{
    void *start = (void *)(uintptr_t)address;
    struct ibv_mr *created;

    errno = 0;
    /* As the macro ibv_reg_mr: optional rights go through the newer call, and an old library ignores them. */
    if ((access & IBV_ACCESS_OPTIONAL_RANGE) && tf_library.reg_mr_iova2)
        created = tf_library.reg_mr_iova2(pd, start, length, address, access);
    else
        created = tf_library.reg_mr(pd, start, length, access & ~IBV_ACCESS_OPTIONAL_RANGE);
    if (!created)
        return tf_errno();
    *mr = created;
    return 0;
}

int tf_mr_create_dmabuf(struct ibv_pd *pd, uint64_t offset, uint64_t length, uint64_t iova, int fd, int access,
                        struct ibv_mr **mr)
{
    struct ibv_mr *created;

    if (!tf_library.reg_dmabuf_mr)
        return -EOPNOTSUPP;
    errno = 0;
    created = tf_library.reg_dmabuf_mr(pd, offset, length, iova, fd, access);
    if (!created)
        return tf_errno();
    *mr = created;
    return 0;
}

int tf_mr_destroy(struct ibv_mr *mr)
{
    return tf_status(tf_library.dereg_mr(mr));
}

int tf_mw_create(struct ibv_pd *pd, struct ibv_mw **mw)
{
    struct ibv_mw *created;

    if (!pd->context->ops.alloc_mw)
        return -EOPNOTSUPP;
    errno = 0;
    created = ibv_alloc_mw(pd, IBV_MW_TYPE_2);
    if (!created)
        return tf_errno();
    *mw = created;
    return 0;
}

int tf_mw_destroy(struct ibv_mw *mw)
{
    return tf_status(ibv_dealloc_mw(mw));
}
