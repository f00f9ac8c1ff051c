/*
 * Packed structures that Java and C share through native memory, in native byte order. The Java side is SendRequests,
 * ReceiveRequests and WorkCompletions of fabric-core and Layout of this module. TF_LAYOUT lists every size and offset;
 * the Java side compares them with its own constants when it loads this library.
 */
#ifndef TF_LAYOUT_H
#define TF_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include <infiniband/verbs.h>

enum {
    TF_MAX_ELEMENTS = 4,
    TF_NAME_SIZE = 64, /* IBV_SYSFS_NAME_MAX */
    TF_NETDEV_SIZE = 16, /* IF_NAMESIZE */
    TF_FIRMWARE_SIZE = 64
};

/* One send work request. A bind uses the room of the elements. */
struct tf_send_request {
    uint64_t id;
    uint32_t opcode;
    uint32_t flags;
    uint32_t immediate;
    uint32_t element_count;
    uint64_t remote_address;
    uint32_t rkey;
    uint32_t reserved;
    union {
        struct ibv_sge elements[TF_MAX_ELEMENTS];
        struct {
            uint64_t window; /* ids that Java resolves: no pointers */
            uint64_t address;
            uint64_t length;
            uint32_t lkey;
            uint32_t rkey;
            uint32_t access;
            uint32_t reserved;
            uint64_t region;
        } bind;
    };
    uint8_t tail[24];
};

struct tf_receive_request {
    uint64_t id;
    uint32_t element_count;
    uint32_t reserved;
    struct ibv_sge elements[TF_MAX_ELEMENTS];
};

/* What ibv_poll_cq writes, read by Java as it is but for the immediate's byte order. */
typedef struct ibv_wc tf_completion;

struct tf_device_attributes {
    char firmware[TF_FIRMWARE_SIZE];
    uint64_t node_guid;
    uint64_t max_mr_size;
    uint32_t port_count;
    uint32_t max_qp;
    uint32_t max_qp_wr;
    uint32_t max_sge;
    uint32_t max_cq;
    uint32_t max_cqe;
    uint32_t max_mr;
    uint32_t max_mw;
    uint32_t window_type2;
    uint32_t max_pd;
    uint32_t max_srq;
    uint32_t max_srq_wr;
    uint32_t max_reads_initiator;
    uint32_t max_reads_target;
};

struct tf_port_attributes {
    uint32_t state;
    uint32_t link_layer;
    uint32_t max_mtu;
    uint32_t active_mtu;
    uint32_t lid;
    uint32_t gid_table_length;
    uint32_t max_message_size;
    uint32_t active_width;
    uint32_t active_speed;
    uint32_t reserved;
};

struct tf_gid_entry {
    uint8_t gid[16];
    uint32_t index;
    uint32_t type;
    char netdev[TF_NETDEV_SIZE];
};

/* In: what is asked for. Out: the sizes that were granted. */
struct tf_qp_options {
    uint32_t type;
    uint32_t signal_all;
    uint32_t max_send_requests;
    uint32_t max_receive_requests;
    uint32_t max_send_elements;
    uint32_t max_receive_elements;
    uint32_t max_inline;
    uint32_t reserved;
};

struct tf_qp_attributes {
    uint32_t state;
    uint32_t access;
    uint32_t pkey_index;
    uint32_t port;
    uint32_t path_mtu;
    uint32_t timeout;
    uint32_t retry_count;
    uint32_t rnr_retry;
    uint32_t receive_psn;
    uint32_t send_psn;
    uint32_t max_reads_initiator;
    uint32_t max_reads_target;
    uint32_t min_rnr_timer;
    uint32_t destination_qpn;
    uint32_t lid;
    uint32_t source_gid_index;
    uint32_t traffic_class;
    uint32_t service_level;
    uint32_t hop_limit;
    uint32_t global;
    uint8_t gid[16];
};

struct tf_async_event {
    uint64_t element; /* id that Java gave to the queue pair, completion queue or shared receive queue; 0 if none */
    uint32_t type;
    uint32_t port;
};

#define TF_LAYOUT(SIZE, OFFSET)                                                                                        \
    SIZE(struct tf_send_request)                                                                                       \
    OFFSET(struct tf_send_request, id)                                                                                 \
    OFFSET(struct tf_send_request, opcode)                                                                             \
    OFFSET(struct tf_send_request, flags)                                                                              \
    OFFSET(struct tf_send_request, immediate)                                                                          \
    OFFSET(struct tf_send_request, element_count)                                                                      \
    OFFSET(struct tf_send_request, remote_address)                                                                     \
    OFFSET(struct tf_send_request, rkey)                                                                               \
    OFFSET(struct tf_send_request, elements)                                                                           \
    OFFSET(struct tf_send_request, bind.window)                                                                        \
    OFFSET(struct tf_send_request, bind.address)                                                                       \
    OFFSET(struct tf_send_request, bind.length)                                                                        \
    OFFSET(struct tf_send_request, bind.lkey)                                                                          \
    OFFSET(struct tf_send_request, bind.rkey)                                                                          \
    OFFSET(struct tf_send_request, bind.access)                                                                        \
    OFFSET(struct tf_send_request, bind.region)                                                                        \
    SIZE(struct ibv_sge)                                                                                               \
    OFFSET(struct ibv_sge, addr)                                                                                       \
    OFFSET(struct ibv_sge, length)                                                                                     \
    OFFSET(struct ibv_sge, lkey)                                                                                       \
    SIZE(struct tf_receive_request)                                                                                    \
    OFFSET(struct tf_receive_request, id)                                                                              \
    OFFSET(struct tf_receive_request, element_count)                                                                   \
    OFFSET(struct tf_receive_request, elements)                                                                        \
    SIZE(tf_completion)                                                                                                \
    OFFSET(tf_completion, wr_id)                                                                                       \
    OFFSET(tf_completion, status)                                                                                      \
    OFFSET(tf_completion, opcode)                                                                                      \
    OFFSET(tf_completion, vendor_err)                                                                                  \
    OFFSET(tf_completion, byte_len)                                                                                    \
    OFFSET(tf_completion, imm_data)                                                                                    \
    OFFSET(tf_completion, qp_num)                                                                                      \
    OFFSET(tf_completion, src_qp)                                                                                      \
    OFFSET(tf_completion, wc_flags)                                                                                    \
    SIZE(struct tf_device_attributes)                                                                                  \
    OFFSET(struct tf_device_attributes, firmware)                                                                      \
    OFFSET(struct tf_device_attributes, node_guid)                                                                     \
    OFFSET(struct tf_device_attributes, max_mr_size)                                                                   \
    OFFSET(struct tf_device_attributes, port_count)                                                                    \
    OFFSET(struct tf_device_attributes, max_qp)                                                                        \
    OFFSET(struct tf_device_attributes, max_qp_wr)                                                                     \
    OFFSET(struct tf_device_attributes, max_sge)                                                                       \
    OFFSET(struct tf_device_attributes, max_cq)                                                                        \
    OFFSET(struct tf_device_attributes, max_cqe)                                                                       \
    OFFSET(struct tf_device_attributes, max_mr)                                                                        \
    OFFSET(struct tf_device_attributes, max_mw)                                                                        \
    OFFSET(struct tf_device_attributes, window_type2)                                                                  \
    OFFSET(struct tf_device_attributes, max_pd)                                                                        \
    OFFSET(struct tf_device_attributes, max_srq)                                                                       \
    OFFSET(struct tf_device_attributes, max_srq_wr)                                                                    \
    OFFSET(struct tf_device_attributes, max_reads_initiator)                                                           \
    OFFSET(struct tf_device_attributes, max_reads_target)                                                              \
    SIZE(struct tf_port_attributes)                                                                                    \
    OFFSET(struct tf_port_attributes, state)                                                                           \
    OFFSET(struct tf_port_attributes, link_layer)                                                                      \
    OFFSET(struct tf_port_attributes, max_mtu)                                                                         \
    OFFSET(struct tf_port_attributes, active_mtu)                                                                      \
    OFFSET(struct tf_port_attributes, lid)                                                                             \
    OFFSET(struct tf_port_attributes, gid_table_length)                                                                \
    OFFSET(struct tf_port_attributes, max_message_size)                                                                \
    OFFSET(struct tf_port_attributes, active_width)                                                                    \
    OFFSET(struct tf_port_attributes, active_speed)                                                                    \
    SIZE(struct tf_gid_entry)                                                                                          \
    OFFSET(struct tf_gid_entry, gid)                                                                                   \
    OFFSET(struct tf_gid_entry, index)                                                                                 \
    OFFSET(struct tf_gid_entry, type)                                                                                  \
    OFFSET(struct tf_gid_entry, netdev)                                                                                \
    SIZE(struct tf_qp_options)                                                                                         \
    OFFSET(struct tf_qp_options, type)                                                                                 \
    OFFSET(struct tf_qp_options, signal_all)                                                                           \
    OFFSET(struct tf_qp_options, max_send_requests)                                                                    \
    OFFSET(struct tf_qp_options, max_receive_requests)                                                                 \
    OFFSET(struct tf_qp_options, max_send_elements)                                                                    \
    OFFSET(struct tf_qp_options, max_receive_elements)                                                                 \
    OFFSET(struct tf_qp_options, max_inline)                                                                           \
    SIZE(struct tf_qp_attributes)                                                                                      \
    OFFSET(struct tf_qp_attributes, state)                                                                             \
    OFFSET(struct tf_qp_attributes, access)                                                                            \
    OFFSET(struct tf_qp_attributes, pkey_index)                                                                        \
    OFFSET(struct tf_qp_attributes, port)                                                                              \
    OFFSET(struct tf_qp_attributes, path_mtu)                                                                          \
    OFFSET(struct tf_qp_attributes, timeout)                                                                           \
    OFFSET(struct tf_qp_attributes, retry_count)                                                                       \
    OFFSET(struct tf_qp_attributes, rnr_retry)                                                                         \
    OFFSET(struct tf_qp_attributes, receive_psn)                                                                       \
    OFFSET(struct tf_qp_attributes, send_psn)                                                                          \
    OFFSET(struct tf_qp_attributes, max_reads_initiator)                                                               \
    OFFSET(struct tf_qp_attributes, max_reads_target)                                                                  \
    OFFSET(struct tf_qp_attributes, min_rnr_timer)                                                                     \
    OFFSET(struct tf_qp_attributes, destination_qpn)                                                                   \
    OFFSET(struct tf_qp_attributes, lid)                                                                               \
    OFFSET(struct tf_qp_attributes, source_gid_index)                                                                  \
    OFFSET(struct tf_qp_attributes, traffic_class)                                                                     \
    OFFSET(struct tf_qp_attributes, service_level)                                                                     \
    OFFSET(struct tf_qp_attributes, hop_limit)                                                                         \
    OFFSET(struct tf_qp_attributes, global)                                                                            \
    OFFSET(struct tf_qp_attributes, gid)                                                                               \
    SIZE(struct tf_async_event)                                                                                        \
    OFFSET(struct tf_async_event, element)                                                                             \
    OFFSET(struct tf_async_event, type)                                                                                \
    OFFSET(struct tf_async_event, port)

#endif
