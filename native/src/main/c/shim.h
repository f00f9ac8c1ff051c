/*
 * The verbs shim. Functions that can fail return 0 or -errno; constructors return a pointer through their last
 * parameter and set it only on success. No function keeps state but tf_library_open.
 */
#ifndef TF_SHIM_H
#define TF_SHIM_H

#include "layout.h"

/* The exported functions of libibverbs that the shim calls; the rest are inline functions of verbs.h. */
struct tf_library {
    __typeof__(ibv_get_device_list) *get_device_list;
    __typeof__(ibv_free_device_list) *free_device_list;
    __typeof__(ibv_get_device_name) *get_device_name;
    __typeof__(ibv_open_device) *open_device;
    __typeof__(ibv_close_device) *close_device;
    __typeof__(ibv_query_device) *query_device;
    __typeof__(ibv_query_port) *query_port;
    __typeof__(ibv_alloc_pd) *alloc_pd;
    __typeof__(ibv_dealloc_pd) *dealloc_pd;
    __typeof__(ibv_reg_mr) *reg_mr;
    __typeof__(ibv_dereg_mr) *dereg_mr;
    __typeof__(ibv_create_comp_channel) *create_comp_channel;
    __typeof__(ibv_destroy_comp_channel) *destroy_comp_channel;
    __typeof__(ibv_create_cq) *create_cq;
    __typeof__(ibv_destroy_cq) *destroy_cq;
    __typeof__(ibv_get_cq_event) *get_cq_event;
    __typeof__(ibv_ack_cq_events) *ack_cq_events;
    __typeof__(ibv_create_srq) *create_srq;
    __typeof__(ibv_modify_srq) *modify_srq;
    __typeof__(ibv_destroy_srq) *destroy_srq;
    __typeof__(ibv_create_qp) *create_qp;
    __typeof__(ibv_modify_qp) *modify_qp;
    __typeof__(ibv_query_qp) *query_qp;
    __typeof__(ibv_destroy_qp) *destroy_qp;
    __typeof__(ibv_get_async_event) *get_async_event;
    __typeof__(ibv_ack_async_event) *ack_async_event;
    /* Newer than the oldest libibverbs in use; NULL when absent. */
    __typeof__(_ibv_query_gid_table) *query_gid_table;
    __typeof__(ibv_reg_mr_iova2) *reg_mr_iova2;
    __typeof__(ibv_reg_dmabuf_mr) *reg_dmabuf_mr;
};

/* Written once by tf_library_open, before any other function is called. */
extern struct tf_library tf_library;

/* Loads libibverbs.so.1. On failure, text gets the loader's reason. */
int tf_library_open(char *text, size_t size);

/* -errno of a call that returned NULL or -1; some drivers forget to set errno. */
int tf_errno(void);

/* -errno of a call that returns an errno, or -1 and sets it. */
int tf_status(int rc);

/* Whether fd became readable (1), wake_fd did and was reset (2), or the time ran out (0). Negative waits for ever. */
int tf_wait(int fd, int wake_fd, int64_t nanos);
int tf_wake_create(int *fd);
int tf_wake_signal(int fd);
int tf_set_nonblocking(int fd);

int tf_device_list(char *names, int capacity);
int tf_device_open(const char *name, struct ibv_context **context);
int tf_device_close(struct ibv_context *context);
int tf_device_query(struct ibv_context *context, struct tf_device_attributes *out);
int tf_port_query(struct ibv_context *context, int port, struct tf_port_attributes *out);
/* Copies a port's used entries; table_length is the number of entries of all ports. -EOPNOTSUPP: read sysfs instead. */
int tf_gid_query(struct ibv_context *context, int port, int table_length, struct tf_gid_entry *out, int capacity);

int tf_pd_create(struct ibv_context *context, struct ibv_pd **pd);
int tf_pd_destroy(struct ibv_pd *pd);
int tf_mr_create(struct ibv_pd *pd, uint64_t address, uint64_t length, int access, struct ibv_mr **mr);
int tf_mr_create_dmabuf(struct ibv_pd *pd, uint64_t offset, uint64_t length, uint64_t iova, int fd, int access,
                        struct ibv_mr **mr);
int tf_mr_destroy(struct ibv_mr *mr);
int tf_mw_create(struct ibv_pd *pd, struct ibv_mw **mw);
int tf_mw_destroy(struct ibv_mw *mw);

int tf_channel_create(struct ibv_context *context, struct ibv_comp_channel **channel);
int tf_channel_destroy(struct ibv_comp_channel *channel);
/* Takes and acknowledges one event; *id is that of its queue. */
int tf_channel_take(struct ibv_comp_channel *channel, uint64_t *id);
int tf_cq_create(struct ibv_context *context, int entries, uint64_t id, struct ibv_comp_channel *channel,
                 struct ibv_cq **cq);
int tf_cq_destroy(struct ibv_cq *cq);
int tf_cq_poll(struct ibv_cq *cq, tf_completion *completions, int capacity);
int tf_cq_arm(struct ibv_cq *cq, int solicited_only);

int tf_srq_create(struct ibv_pd *pd, int max_requests, int max_elements, uint64_t id, struct ibv_srq **srq,
                  int *granted);
int tf_srq_destroy(struct ibv_srq *srq);
int tf_srq_arm_limit(struct ibv_srq *srq, int limit);

int tf_qp_create(struct ibv_pd *pd, uint64_t id, struct ibv_cq *send_cq, struct ibv_cq *receive_cq,
                 struct ibv_srq *srq, struct tf_qp_options *options, struct ibv_qp **qp);
int tf_qp_destroy(struct ibv_qp *qp);
int tf_qp_modify(struct ibv_qp *qp, const struct tf_qp_attributes *attributes, int mask);
int tf_qp_query(struct ibv_qp *qp, struct tf_qp_attributes *out);
/* Most bytes of an inline send, found by trying; the device has no attribute for it. */
int tf_qp_probe_inline(struct ibv_context *context);

/* Binds the calling thread to those processors of a set that it may run on now, and returns their number; 0 changes
 * nothing. */
int tf_thread_bind(const uint64_t *wanted, int words);

/* Takes and acknowledges one asynchronous event; -EAGAIN if there is none. */
int tf_event_take(struct ibv_context *context, struct tf_async_event *out);

/* Not errnos: the request at index *accepted is a bind and needs tf_post_bind, or a local invalidation and needs
 * tf_post_invalidation after the caller has looked at its key. */
enum { TF_BIND_FOLLOWS = 0x10000, TF_INVALIDATION_FOLLOWS = 0x10001 };

/* Post in order, as far as the queue takes; *accepted counts also on failure. Errors are positive. */
int tf_post_send(struct ibv_qp *qp, const struct tf_send_request *requests, uint32_t count, uint32_t *accepted);
int tf_post_receive(struct ibv_qp *qp, const struct tf_receive_request *requests, uint32_t count, uint32_t *accepted);
int tf_post_shared(struct ibv_srq *srq, const struct tf_receive_request *requests, uint32_t count,
                   uint32_t *accepted);
/* Posts one bind of a window to a region and gives the window its new key. */
int tf_post_bind(struct ibv_qp *qp, const struct tf_send_request *request, struct ibv_mw *mw, struct ibv_mr *mr);
int tf_post_invalidation(struct ibv_qp *qp, const struct tf_send_request *request);

/* The CUDA driver, where there is one. Calls return its own errors: tf_cuda_export as negative numbers. */
int tf_cuda_open(void);
int64_t tf_cuda_export(uint64_t address, uint64_t length);
int tf_cuda_flush(void);

#endif
