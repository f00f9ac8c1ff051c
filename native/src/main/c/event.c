/* Asynchronous events of a device. */
#include "shim.h"

#include <errno.h>

static void describe(const struct ibv_async_event *event, struct tf_async_event *out)
{
    *out = (struct tf_async_event){.type = event->event_type};
    switch (event->event_type) {
    case IBV_EVENT_CQ_ERR:
        out->element = (uintptr_t)event->element.cq->cq_context;
        break;
    case IBV_EVENT_QP_FATAL:
    case IBV_EVENT_QP_REQ_ERR:
    case IBV_EVENT_QP_ACCESS_ERR:
    case IBV_EVENT_COMM_EST:
    case IBV_EVENT_SQ_DRAINED:
    case IBV_EVENT_PATH_MIG:
    case IBV_EVENT_PATH_MIG_ERR:
    case IBV_EVENT_QP_LAST_WQE_REACHED:
        out->element = (uintptr_t)event->element.qp->qp_context;
        break;
    case IBV_EVENT_SRQ_ERR:
    case IBV_EVENT_SRQ_LIMIT_REACHED:
        out->element = (uintptr_t)event->element.srq->srq_context;
        break;
    case IBV_EVENT_PORT_ACTIVE:
    case IBV_EVENT_PORT_ERR:
    case IBV_EVENT_LID_CHANGE:
    case IBV_EVENT_PKEY_CHANGE:
    case IBV_EVENT_SM_CHANGE:
    case IBV_EVENT_CLIENT_REREGISTER:
    case IBV_EVENT_GID_CHANGE:
        out->port = event->element.port_num;
        break;
    case IBV_EVENT_DEVICE_FATAL:
    case IBV_EVENT_WQ_FATAL:
    default:
        break;
    }
}

int tf_event_take(struct ibv_context *context, struct tf_async_event *out)
{
    struct ibv_async_event event;

    errno = 0;
    if (tf_library.get_async_event(context, &event))
        return tf_errno();
    /* Destroying the element waits in libibverbs until the acknowledgement, so it is alive until then. */
    describe(&event, out);
    tf_library.ack_async_event(&event);
    return 0;
}
