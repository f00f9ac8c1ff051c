/* Completion channels and queues. */
#include "shim.h"

#include <arpa/inet.h>
#include <errno.h>

int tf_channel_create(struct ibv_context *context, struct ibv_comp_channel **channel)
{
    struct ibv_comp_channel *created;
    int rc;

    errno = 0;
    created = tf_library.create_comp_channel(context);
    if (!created)
        return tf_errno();
    rc = tf_set_nonblocking(created->fd);
    if (rc < 0) {
        tf_library.destroy_comp_channel(created);
        return rc;
    }
    *channel = created;
    return 0;
}

int tf_channel_destroy(struct ibv_comp_channel *channel)
{
    return tf_status(tf_library.destroy_comp_channel(channel));
}

int tf_channel_take(struct ibv_comp_channel *channel, uint64_t *id)
{
    struct ibv_cq *cq;
    void *context;

    errno = 0;
    if (tf_library.get_cq_event(channel, &cq, &context))
        return tf_errno();
    /* Destroying the queue waits in libibverbs until this acknowledgement, so cq is alive here. */
    tf_library.ack_cq_events(cq, 1);
    *id = (uintptr_t)context;
    return 0;
}

int tf_cq_create(struct ibv_context *context, int entries, uint64_t id, struct ibv_comp_channel *channel,
                 struct ibv_cq **cq)
{
    struct ibv_cq *created;

    errno = 0;
    created = tf_library.create_cq(context, entries, (void *)(uintptr_t)id, channel, 0);
    if (!created)
        return tf_errno();
    *cq = created;
    return 0;
}

int tf_cq_destroy(struct ibv_cq *cq)
{
    return tf_status(tf_library.destroy_cq(cq));
}

int tf_cq_poll(struct ibv_cq *cq, tf_completion *completions, int capacity)
{
    int count = ibv_poll_cq(cq, capacity, completions);

    for (int i = 0; i < count; i++) {
        if (completions[i].wc_flags & IBV_WC_WITH_IMM)
            completions[i].invalidated_rkey = ntohl(completions[i].imm_data);
    }
    return count < 0 ? -EIO : count;
}

int tf_cq_arm(struct ibv_cq *cq, int solicited_only)
{
    return tf_status(ibv_req_notify_cq(cq, solicited_only));
}
