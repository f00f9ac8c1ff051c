/* Native methods on completion queues, shared receive queues and queue pairs. */
#include "jni_native.h"

#include <errno.h>

/* Accepted requests in the lower half, the error in the upper one. */
static jlong posted(int error, uint32_t accepted)
{
    return (jlong)(((uint64_t)error << 32) | accepted);
}

static jlong native_createChannel(ARGS, jlong context)
{
    struct ibv_comp_channel *channel = NULL;
    int rc = tf_channel_create(POINTER(struct ibv_context, context), &channel);

    return handle(rc, channel);
}

static jint native_destroyChannel(ARGS, jlong channel)
{
    return tf_channel_destroy(POINTER(struct ibv_comp_channel, channel));
}

/* The id of a queue, else -errno. */
static jlong native_awaitCompletion(ARGS, jlong channel, jint wake_fd, jlong nanos)
{
    struct ibv_comp_channel *completions = POINTER(struct ibv_comp_channel, channel);
    uint64_t id = 0;
    int rc = tf_wait(completions->fd, wake_fd, nanos);

    if (rc != 1)
        return rc == 0 ? -ETIMEDOUT : rc == 2 ? -EINTR : rc;
    rc = tf_channel_take(completions, &id);
    return rc < 0 ? rc : (jlong)id;
}

static jlong native_createCompletionQueue(ARGS, jlong context, jint entries, jlong id, jlong channel)
{
    struct ibv_cq *cq = NULL;
    int rc = tf_cq_create(POINTER(struct ibv_context, context), entries, id,
                          POINTER(struct ibv_comp_channel, channel), &cq);

    return handle(rc, cq);
}

static jint native_destroyCompletionQueue(ARGS, jlong cq)
{
    return tf_cq_destroy(POINTER(struct ibv_cq, cq));
}

static jint native_completionQueueCapacity(ARGS, jlong cq)
{
    return POINTER(struct ibv_cq, cq)->cqe;
}

static jint native_poll(ARGS, jlong cq, jlong completions, jint capacity)
{
    return tf_cq_poll(POINTER(struct ibv_cq, cq), POINTER(tf_completion, completions), capacity);
}

static jint native_arm(ARGS, jlong cq, jint solicited_only)
{
    return tf_cq_arm(POINTER(struct ibv_cq, cq), solicited_only);
}

/* *granted gets the number of requests that the queue holds. */
static jlong native_createSharedQueue(ARGS, jlong pd, jint max_requests, jint max_elements, jlong id, jlong granted)
{
    struct ibv_srq *srq = NULL;
    int rc = tf_srq_create(POINTER(struct ibv_pd, pd), max_requests, max_elements, id, &srq, POINTER(int, granted));

    return handle(rc, srq);
}

static jint native_destroySharedQueue(ARGS, jlong srq)
{
    return tf_srq_destroy(POINTER(struct ibv_srq, srq));
}

static jint native_armLimit(ARGS, jlong srq, jint limit)
{
    return tf_srq_arm_limit(POINTER(struct ibv_srq, srq), limit);
}

static jlong native_createQueuePair(ARGS, jlong pd, jlong id, jlong send_cq, jlong receive_cq, jlong srq,
                                    jlong options)
{
    struct ibv_qp *qp = NULL;
    int rc = tf_qp_create(POINTER(struct ibv_pd, pd), id, POINTER(struct ibv_cq, send_cq),
                          POINTER(struct ibv_cq, receive_cq), POINTER(struct ibv_srq, srq),
                          POINTER(struct tf_qp_options, options), &qp);

    return handle(rc, qp);
}

static jint native_destroyQueuePair(ARGS, jlong qp)
{
    return tf_qp_destroy(POINTER(struct ibv_qp, qp));
}

static jint native_queuePairNumber(ARGS, jlong qp)
{
    return (jint)POINTER(struct ibv_qp, qp)->qp_num;
}

static jint native_modify(ARGS, jlong qp, jlong attributes, jint mask)
{
    return tf_qp_modify(POINTER(struct ibv_qp, qp), POINTER(struct tf_qp_attributes, attributes), mask);
}

static jint native_query(ARGS, jlong qp, jlong out)
{
    return tf_qp_query(POINTER(struct ibv_qp, qp), POINTER(struct tf_qp_attributes, out));
}

static jlong native_postSend(ARGS, jlong qp, jlong requests, jint count)
{
    uint32_t accepted;
    int error = tf_post_send(POINTER(struct ibv_qp, qp), POINTER(struct tf_send_request, requests), count, &accepted);

    return posted(error, accepted);
}

static jint native_postBind(ARGS, jlong qp, jlong request, jlong window, jlong region)
{
    return -tf_post_bind(POINTER(struct ibv_qp, qp), POINTER(struct tf_send_request, request),
                         POINTER(struct ibv_mw, window), POINTER(struct ibv_mr, region));
}

static jint native_postInvalidation(ARGS, jlong qp, jlong request)
{
    return -tf_post_invalidation(POINTER(struct ibv_qp, qp), POINTER(struct tf_send_request, request));
}

static jlong native_postReceive(ARGS, jlong qp, jlong requests, jint count)
{
    uint32_t accepted;
    int error =
        tf_post_receive(POINTER(struct ibv_qp, qp), POINTER(struct tf_receive_request, requests), count, &accepted);

    return posted(error, accepted);
}

static jlong native_postShared(ARGS, jlong srq, jlong requests, jint count)
{
    uint32_t accepted;
    int error =
        tf_post_shared(POINTER(struct ibv_srq, srq), POINTER(struct tf_receive_request, requests), count, &accepted);

    return posted(error, accepted);
}

const JNINativeMethod tf_queue_methods[] = {
    METHOD(createChannel, "(J)J"),
    METHOD(destroyChannel, "(J)I"),
    METHOD(awaitCompletion, "(JIJ)J"),
    METHOD(createCompletionQueue, "(JIJJ)J"),
    METHOD(destroyCompletionQueue, "(J)I"),
    METHOD(completionQueueCapacity, "(J)I"),
    METHOD(poll, "(JJI)I"),
    METHOD(arm, "(JI)I"),
    METHOD(createSharedQueue, "(JIIJJ)J"),
    METHOD(destroySharedQueue, "(J)I"),
    METHOD(armLimit, "(JI)I"),
    METHOD(createQueuePair, "(JJJJJJ)J"),
    METHOD(destroyQueuePair, "(J)I"),
    METHOD(queuePairNumber, "(J)I"),
    METHOD(modify, "(JJI)I"),
    METHOD(query, "(JJ)I"),
    METHOD(postSend, "(JJI)J"),
    METHOD(postBind, "(JJJJ)I"),
    METHOD(postInvalidation, "(JJ)I"),
    METHOD(postReceive, "(JJI)J"),
    METHOD(postShared, "(JJI)J"),
};

const int tf_queue_method_count = sizeof tf_queue_methods / sizeof tf_queue_methods[0];
