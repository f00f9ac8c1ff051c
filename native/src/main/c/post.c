/* Packed work requests into chains: no allocation, one doorbell for each chain. */
#include "shim.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

/* Longer lists go out as several chains. */
enum { CHAIN = 64 };

static uint32_t chain_length(uint32_t rest)
{
    return rest < CHAIN ? rest : CHAIN;
}

/* Errors of posts are positive: some drivers return -1 with errno, some a negative errno. */
static int positive(int rc)
{
    return -tf_status(rc);
}

static void unpack_send(const struct tf_send_request *in, struct ibv_send_wr *out)
{
    out->wr_id = in->id;
    out->next = NULL;
    out->sg_list = (struct ibv_sge *)in->elements;
    out->num_sge = in->element_count;
    out->opcode = in->opcode;
    out->send_flags = in->flags;
    out->wr.rdma.remote_addr = in->remote_address;
    out->wr.rdma.rkey = in->rkey;
    if (in->opcode == IBV_WR_SEND_WITH_INV)
        out->invalidate_rkey = in->immediate;
    else
        out->imm_data = htonl(in->immediate);
}

/* Unpacks up to count requests that may be posted; *stop tells why it ended before. */
static uint32_t build_sends(const struct tf_send_request *requests, uint32_t count, struct ibv_send_wr *chain,
                            int *stop)
{
    uint32_t built;

    *stop = 0;
    for (built = 0; built < count; built++) {
        if (requests[built].opcode == IBV_WR_BIND_MW)
            *stop = TF_BIND_FOLLOWS;
        else if (requests[built].opcode == IBV_WR_LOCAL_INV)
            *stop = TF_INVALIDATION_FOLLOWS;
        else if (requests[built].element_count > TF_MAX_ELEMENTS)
            *stop = EINVAL;
        if (*stop)
            break;
        unpack_send(&requests[built], &chain[built]);
        if (built > 0)
            chain[built - 1].next = &chain[built];
    }
    return built;
}

int tf_post_send(struct ibv_qp *qp, const struct tf_send_request *requests, uint32_t count, uint32_t *accepted)
{
    struct ibv_send_wr chain[CHAIN];

    *accepted = 0;
    while (*accepted < count) {
        struct ibv_send_wr *bad = NULL;
        int stop;
        uint32_t built = build_sends(requests + *accepted, chain_length(count - *accepted), chain, &stop);

        if (built > 0) {
            int error = positive(ibv_post_send(qp, chain, &bad));

            /* A driver that fails without naming the request has taken none. */
            if (error) {
                *accepted += bad ? (uint32_t)(bad - chain) : 0;
                return error;
            }
        }
        *accepted += built;
        if (stop)
            return stop;
    }
    return 0;
}

int tf_post_bind(struct ibv_qp *qp, const struct tf_send_request *request, struct ibv_mw *mw, struct ibv_mr *mr)
{
    struct ibv_send_wr *bad = NULL;
    struct ibv_send_wr wr = {
        .wr_id = request->id,
        .opcode = IBV_WR_BIND_MW,
        .send_flags = request->flags,
        .bind_mw =
            {
                .mw = mw,
                .rkey = request->bind.rkey,
                .bind_info =
                    {
                        .mr = mr,
                        .addr = request->bind.address,
                        .length = request->bind.length,
                        .mw_access_flags = request->bind.access,
                    },
            },
    };
    int error = positive(ibv_post_send(qp, &wr, &bad));

    /* For windows of type 2 the user keeps the present key, which some drivers need for the next bind. */
    if (!error)
        mw->rkey = request->bind.rkey;
    return error;
}

int tf_post_invalidation(struct ibv_qp *qp, const struct tf_send_request *request)
{
    struct ibv_send_wr *bad = NULL;
    struct ibv_send_wr wr = {
        .wr_id = request->id,
        .opcode = IBV_WR_LOCAL_INV,
        .send_flags = request->flags,
        .invalidate_rkey = request->rkey,
    };

    return positive(ibv_post_send(qp, &wr, &bad));
}

static uint32_t build_receives(const struct tf_receive_request *requests, uint32_t count, struct ibv_recv_wr *chain,
                               int *stop)
{
    uint32_t built;

    *stop = 0;
    for (built = 0; built < count; built++) {
        const struct tf_receive_request *in = &requests[built];

        if (in->element_count > TF_MAX_ELEMENTS) {
            *stop = EINVAL;
            break;
        }
        chain[built] = (struct ibv_recv_wr){
            .wr_id = in->id,
            .sg_list = (struct ibv_sge *)in->elements,
            .num_sge = in->element_count,
        };
        if (built > 0)
            chain[built - 1].next = &chain[built];
    }
    return built;
}

static int post_receives(struct ibv_qp *qp, struct ibv_srq *srq, const struct tf_receive_request *requests,
                         uint32_t count, uint32_t *accepted)
{
    struct ibv_recv_wr chain[CHAIN];

    *accepted = 0;
    while (*accepted < count) {
        struct ibv_recv_wr *bad = NULL;
        int stop;
        uint32_t built = build_receives(requests + *accepted, chain_length(count - *accepted), chain, &stop);

        if (built > 0) {
            int error = positive(qp ? ibv_post_recv(qp, chain, &bad) : ibv_post_srq_recv(srq, chain, &bad));

            if (error) {
                *accepted += bad ? (uint32_t)(bad - chain) : 0;
                return error;
            }
        }
        *accepted += built;
        if (stop)
            return stop;
    }
    return 0;
}

int tf_post_receive(struct ibv_qp *qp, const struct tf_receive_request *requests, uint32_t count, uint32_t *accepted)
{
    return post_receives(qp, NULL, requests, count, accepted);
}

int tf_post_shared(struct ibv_srq *srq, const struct tf_receive_request *requests, uint32_t count,
                   uint32_t *accepted)
{
    return post_receives(NULL, srq, requests, count, accepted);
}
