/*
 * A STUB in place of libibverbs.so.1, to measure what stands above a driver: one device whose work requests complete when
 * they are posted. It moves no bytes. Posting and polling do what user-space drivers do all the same: take the queue's
 * spin lock, copy each request into a ring of 64-byte entries, ring a doorbell, and read completions out of a ring.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#undef ibv_reg_mr
#undef ibv_query_port

#define EXPORT __attribute__((visibility("default")))

enum { RING = 4096, MASK = RING - 1 };

/* A work queue entry, as large as a cache line. */
struct entry {
    uint64_t id;
    uint64_t remote;
    uint64_t local;
    uint32_t rkey;
    uint32_t lkey;
    uint32_t length;
    uint32_t opcode;
    uint32_t flags;
    uint32_t immediate;
    uint64_t index;
    uint64_t owner;
};

struct stub_cq {
    struct ibv_cq cq;
    pthread_spinlock_t lock;
    uint64_t head;
    uint64_t tail;
    struct entry ring[RING];
};

struct stub_qp {
    struct ibv_qp qp;
    pthread_spinlock_t lock;
    _Atomic uint64_t doorbell;
    uint64_t posted;
    struct entry ring[RING];
};

static struct ibv_device device = {.name = "stub0", .dev_name = "uverbs0"};

/* Sends that ask for no completion get none, as on a card. */
static int post_send(struct ibv_qp *to, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
    struct stub_qp *qp = (struct stub_qp *)to;
    struct stub_cq *cq = (struct stub_cq *)to->send_cq;
    int rc = 0;

    pthread_spin_lock(&qp->lock);
    pthread_spin_lock(&cq->lock);
    for (; wr; wr = wr->next) {
        struct entry *entry = &qp->ring[qp->posted & MASK];

        if (cq->tail - cq->head == RING) {
            *bad = wr;
            rc = ENOMEM;
            break;
        }
        *entry = (struct entry){
            .id = wr->wr_id,
            .remote = wr->wr.rdma.remote_addr,
            .rkey = wr->wr.rdma.rkey,
            .opcode = wr->opcode,
            .flags = wr->send_flags,
            .immediate = wr->imm_data,
            .index = qp->posted++,
        };
        for (int i = 0; i < wr->num_sge; i++) {
            entry->local = wr->sg_list[i].addr;
            entry->lkey = wr->sg_list[i].lkey;
            entry->length += wr->sg_list[i].length;
        }
        if (wr->send_flags & IBV_SEND_SIGNALED)
            cq->ring[cq->tail++ & MASK] = *entry;
    }
    pthread_spin_unlock(&cq->lock);
    atomic_store_explicit(&qp->doorbell, qp->posted, memory_order_seq_cst);
    pthread_spin_unlock(&qp->lock);
    return rc;
}

static int poll_cq(struct ibv_cq *from, int capacity, struct ibv_wc *wc)
{
    struct stub_cq *cq = (struct stub_cq *)from;
    int count;

    pthread_spin_lock(&cq->lock);
    for (count = 0; count < capacity && cq->head != cq->tail; count++) {
        const struct entry *entry = &cq->ring[cq->head++ & MASK];

        wc[count].wr_id = entry->id;
        wc[count].status = IBV_WC_SUCCESS;
        wc[count].opcode = IBV_WC_RDMA_WRITE;
        wc[count].vendor_err = 0;
        wc[count].byte_len = entry->length;
        wc[count].qp_num = 1;
        wc[count].wc_flags = 0;
    }
    pthread_spin_unlock(&cq->lock);
    return count;
}

static int post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
    (void)qp, (void)wr, (void)bad;
    return 0;
}

static int post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
    (void)srq, (void)wr, (void)bad;
    return 0;
}

static int req_notify_cq(struct ibv_cq *cq, int solicited)
{
    (void)cq, (void)solicited;
    return 0;
}

EXPORT struct ibv_device **ibv_get_device_list(int *count)
{
    struct ibv_device **list = calloc(2, sizeof *list);

    if (list)
        list[0] = &device;
    if (count)
        *count = list ? 1 : 0;
    return list;
}

EXPORT void ibv_free_device_list(struct ibv_device **list)
{
    free(list);
}

EXPORT const char *ibv_get_device_name(struct ibv_device *of)
{
    return of->name;
}

EXPORT struct ibv_context *ibv_open_device(struct ibv_device *of)
{
    struct ibv_context *context = calloc(1, sizeof *context);

    if (!context)
        return NULL;
    context->device = of;
    context->async_fd = eventfd(0, EFD_CLOEXEC);
    context->ops.post_send = post_send;
    context->ops.poll_cq = poll_cq;
    context->ops.post_recv = post_recv;
    context->ops.post_srq_recv = post_srq_recv;
    context->ops.req_notify_cq = req_notify_cq;
    return context;
}

EXPORT int ibv_close_device(struct ibv_context *context)
{
    close(context->async_fd);
    free(context);
    return 0;
}

EXPORT int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *out)
{
    (void)context;
    memset(out, 0, sizeof *out);
    out->phys_port_cnt = 1;
    out->max_mr_size = UINT64_MAX;
    out->max_qp = out->max_cq = out->max_mr = out->max_pd = out->max_srq = 1024;
    out->max_qp_wr = out->max_cqe = out->max_srq_wr = RING;
    out->max_sge = 4;
    out->max_qp_rd_atom = out->max_qp_init_rd_atom = 16;
    return 0;
}

EXPORT int ibv_query_port(struct ibv_context *context, uint8_t port, struct _compat_ibv_port_attr *out)
{
    struct ibv_port_attr *attr = (struct ibv_port_attr *)out;

    (void)context, (void)port;
    attr->state = IBV_PORT_ACTIVE;
    attr->max_mtu = attr->active_mtu = IBV_MTU_4096;
    attr->max_msg_sz = 1u << 30;
    return 0;
}

/* An object that knows its context, which all that have a first field of that kind share. */
static void *object(size_t size, struct ibv_context *context)
{
    struct ibv_context **made = calloc(1, size);

    if (made)
        *made = context;
    return made;
}

EXPORT struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
{
    return object(sizeof(struct ibv_pd), context);
}

EXPORT int ibv_dealloc_pd(struct ibv_pd *pd)
{
    free(pd);
    return 0;
}

EXPORT struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *address, size_t length, int access)
{
    struct ibv_mr *mr = object(sizeof *mr, pd->context);

    (void)access;
    if (mr) {
        mr->pd = pd;
        mr->addr = address;
        mr->length = length;
        mr->lkey = mr->rkey = 1;
    }
    return mr;
}

EXPORT int ibv_dereg_mr(struct ibv_mr *mr)
{
    free(mr);
    return 0;
}

EXPORT struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *context)
{
    struct ibv_comp_channel *channel = object(sizeof *channel, context);

    if (channel)
        channel->fd = eventfd(0, EFD_CLOEXEC);
    return channel;
}

EXPORT int ibv_destroy_comp_channel(struct ibv_comp_channel *channel)
{
    close(channel->fd);
    free(channel);
    return 0;
}

EXPORT struct ibv_cq *ibv_create_cq(struct ibv_context *context, int entries, void *cookie,
                                    struct ibv_comp_channel *channel, int vector)
{
    struct stub_cq *cq = object(sizeof *cq, context);

    (void)entries, (void)vector;
    if (!cq)
        return NULL;
    cq->cq.channel = channel;
    cq->cq.cq_context = cookie;
    cq->cq.cqe = RING;
    pthread_spin_init(&cq->lock, PTHREAD_PROCESS_PRIVATE);
    return &cq->cq;
}

EXPORT int ibv_destroy_cq(struct ibv_cq *cq)
{
    free(cq);
    return 0;
}

EXPORT int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **cookie)
{
    (void)channel, (void)cq, (void)cookie;
    errno = EAGAIN;
    return -1;
}

EXPORT void ibv_ack_cq_events(struct ibv_cq *cq, unsigned int count)
{
    (void)cq, (void)count;
}

EXPORT struct ibv_srq *ibv_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *init)
{
    (void)init;
    return object(sizeof(struct ibv_srq), pd->context);
}

EXPORT int ibv_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr, int mask)
{
    (void)srq, (void)attr, (void)mask;
    return 0;
}

EXPORT int ibv_destroy_srq(struct ibv_srq *srq)
{
    free(srq);
    return 0;
}

EXPORT struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *init)
{
    struct stub_qp *qp = object(sizeof *qp, pd->context);

    if (!qp)
        return NULL;
    qp->qp.pd = pd;
    qp->qp.send_cq = init->send_cq;
    qp->qp.recv_cq = init->recv_cq;
    qp->qp.qp_num = 1;
    qp->qp.qp_type = init->qp_type;
    pthread_spin_init(&qp->lock, PTHREAD_PROCESS_PRIVATE);
    return &qp->qp;
}

EXPORT int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
    if (mask & IBV_QP_STATE)
        qp->state = attr->qp_state;
    return 0;
}

EXPORT int ibv_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask, struct ibv_qp_init_attr *init)
{
    (void)mask, (void)init;
    memset(attr, 0, sizeof *attr);
    attr->qp_state = qp->state;
    return 0;
}

EXPORT int ibv_destroy_qp(struct ibv_qp *qp)
{
    free(qp);
    return 0;
}

EXPORT int ibv_get_async_event(struct ibv_context *context, struct ibv_async_event *event)
{
    (void)context, (void)event;
    errno = EAGAIN;
    return -1;
}

EXPORT void ibv_ack_async_event(struct ibv_async_event *event)
{
    (void)event;
}
