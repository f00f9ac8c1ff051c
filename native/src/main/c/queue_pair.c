/* Queue pairs and shared receive queues. */
#include "shim.h"

#include <errno.h>
#include <string.h>

int tf_srq_create(struct ibv_pd *pd, int max_requests, int max_elements, uint64_t id, struct ibv_srq **srq,
                  int *granted)
{
    struct ibv_srq_init_attr init = {
        .srq_context = (void *)(uintptr_t)id,
        .attr = {.max_wr = max_requests, .max_sge = max_elements},
    };
    struct ibv_srq *created;

    errno = 0;
    created = tf_library.create_srq(pd, &init);
    if (!created)
        return tf_errno();
    *granted = init.attr.max_wr;
    *srq = created;
    return 0;
}

int tf_srq_destroy(struct ibv_srq *srq)
{
    return tf_status(tf_library.destroy_srq(srq));
}

int tf_srq_arm_limit(struct ibv_srq *srq, int limit)
{
    struct ibv_srq_attr attr = {.srq_limit = limit};

    return tf_status(tf_library.modify_srq(srq, &attr, IBV_SRQ_LIMIT));
}

static void copy_granted(const struct ibv_qp_cap *cap, struct tf_qp_options *options)
{
    options->max_send_requests = cap->max_send_wr;
    options->max_receive_requests = cap->max_recv_wr;
    options->max_send_elements = cap->max_send_sge;
    options->max_receive_elements = cap->max_recv_sge;
    options->max_inline = cap->max_inline_data;
}

int tf_qp_create(struct ibv_pd *pd, uint64_t id, struct ibv_cq *send_cq, struct ibv_cq *receive_cq,
                 struct ibv_srq *srq, struct tf_qp_options *options, struct ibv_qp **qp)
{
    struct ibv_qp_init_attr init = {
        .qp_context = (void *)(uintptr_t)id,
        .send_cq = send_cq,
        .recv_cq = receive_cq,
        .srq = srq,
        .cap =
            {
                .max_send_wr = options->max_send_requests,
                .max_recv_wr = srq ? 0 : options->max_receive_requests,
                .max_send_sge = options->max_send_elements,
                .max_recv_sge = srq ? 0 : options->max_receive_elements,
                .max_inline_data = options->max_inline,
            },
        .qp_type = options->type,
        .sq_sig_all = options->signal_all,
    };
    struct ibv_qp *created;

    errno = 0;
    created = tf_library.create_qp(pd, &init);
    if (!created)
        return tf_errno();
    copy_granted(&init.cap, options);
    *qp = created;
    return 0;
}

int tf_qp_destroy(struct ibv_qp *qp)
{
    return tf_status(tf_library.destroy_qp(qp));
}

static void read_path(const struct tf_qp_attributes *in, struct ibv_ah_attr *path)
{
    path->dlid = in->lid;
    path->sl = in->service_level;
    path->port_num = in->port;
    path->is_global = in->global;
    path->grh.sgid_index = in->source_gid_index;
    path->grh.traffic_class = in->traffic_class;
    path->grh.hop_limit = in->hop_limit;
    memcpy(path->grh.dgid.raw, in->gid, sizeof in->gid);
}

int tf_qp_modify(struct ibv_qp *qp, const struct tf_qp_attributes *attributes, int mask)
{
    struct ibv_qp_attr attr = {
        .qp_state = attributes->state,
        .path_mtu = attributes->path_mtu,
        .rq_psn = attributes->receive_psn,
        .sq_psn = attributes->send_psn,
        .dest_qp_num = attributes->destination_qpn,
        .qp_access_flags = attributes->access,
        .pkey_index = attributes->pkey_index,
        .max_rd_atomic = attributes->max_reads_initiator,
        .max_dest_rd_atomic = attributes->max_reads_target,
        .min_rnr_timer = attributes->min_rnr_timer,
        .port_num = attributes->port,
        .timeout = attributes->timeout,
        .retry_cnt = attributes->retry_count,
        .rnr_retry = attributes->rnr_retry,
    };

    if (mask & IBV_QP_AV)
        read_path(attributes, &attr.ah_attr);
    return tf_status(tf_library.modify_qp(qp, &attr, mask));
}

static void write_path(const struct ibv_ah_attr *path, struct tf_qp_attributes *out)
{
    out->lid = path->dlid;
    out->service_level = path->sl;
    out->global = path->is_global;
    out->source_gid_index = path->grh.sgid_index;
    out->traffic_class = path->grh.traffic_class;
    out->hop_limit = path->grh.hop_limit;
    memcpy(out->gid, path->grh.dgid.raw, sizeof out->gid);
}

int tf_qp_query(struct ibv_qp *qp, struct tf_qp_attributes *out)
{
    const int mask = IBV_QP_STATE | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_AV |
                     IBV_QP_PATH_MTU | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_RQ_PSN |
                     IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER |
                     IBV_QP_DEST_QPN;
    struct ibv_qp_attr attr;
    struct ibv_qp_init_attr init;
    int rc;

    memset(&attr, 0, sizeof attr);
    memset(&init, 0, sizeof init);
    rc = tf_status(tf_library.query_qp(qp, &attr, mask, &init));
    if (rc < 0)
        return rc;
    *out = (struct tf_qp_attributes){
        .state = attr.qp_state,
        .access = attr.qp_access_flags,
        .pkey_index = attr.pkey_index,
        .port = attr.port_num,
        .path_mtu = attr.path_mtu,
        .timeout = attr.timeout,
        .retry_count = attr.retry_cnt,
        .rnr_retry = attr.rnr_retry,
        .receive_psn = attr.rq_psn,
        .send_psn = attr.sq_psn,
        .max_reads_initiator = attr.max_rd_atomic,
        .max_reads_target = attr.max_dest_rd_atomic,
        .min_rnr_timer = attr.min_rnr_timer,
        .destination_qpn = attr.dest_qp_num,
    };
    write_path(&attr.ah_attr, out);
    return 0;
}

static int try_inline(struct ibv_pd *pd, struct ibv_cq *cq, int bytes)
{
    struct tf_qp_options options = {
        .type = IBV_QPT_RC,
        .max_send_requests = 1,
        .max_receive_requests = 1,
        .max_send_elements = 1,
        .max_receive_elements = 1,
        .max_inline = bytes,
    };
    struct ibv_qp *qp;
    int rc = tf_qp_create(pd, 0, cq, cq, NULL, &options, &qp);

    if (rc < 0)
        return rc;
    tf_qp_destroy(qp);
    return options.max_inline;
}

int tf_qp_probe_inline(struct ibv_context *context)
{
    static const int sizes[] = {1024, 768, 512, 256, 220, 128, 64, 0};
    struct ibv_pd *pd;
    struct ibv_cq *cq;
    int rc = tf_pd_create(context, &pd);

    if (rc < 0)
        return rc;
    rc = tf_cq_create(context, 1, 0, NULL, &cq);
    if (rc < 0)
        goto dealloc_pd;
    rc = -EINVAL;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0] && rc < 0; i++)
        rc = try_inline(pd, cq, sizes[i]);
    tf_cq_destroy(cq);
dealloc_pd:
    tf_pd_destroy(pd);
    return rc;
}
