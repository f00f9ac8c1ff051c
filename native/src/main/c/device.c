/* Devices, ports and GID tables. */
#include "shim.h"

#include <endian.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int tf_device_list(char *names, int capacity)
{
    int count = 0;
    struct ibv_device **list;

    errno = 0;
    list = tf_library.get_device_list(&count);
    if (!list)
        return tf_errno();
    if (count > capacity)
        count = capacity;
    for (int i = 0; i < count; i++)
        snprintf(names + i * TF_NAME_SIZE, TF_NAME_SIZE, "%s", tf_library.get_device_name(list[i]));
    tf_library.free_device_list(list);
    return count;
}

static int open_named(struct ibv_device **list, const char *name, struct ibv_context **context)
{
    for (; *list; list++) {
        if (strcmp(tf_library.get_device_name(*list), name) != 0)
            continue;
        errno = 0;
        *context = tf_library.open_device(*list);
        return *context ? 0 : tf_errno();
    }
    return -ENODEV;
}

int tf_device_open(const char *name, struct ibv_context **context)
{
    struct ibv_context *opened = NULL;
    struct ibv_device **list;
    int rc;

    errno = 0;
    list = tf_library.get_device_list(NULL);
    if (!list)
        return tf_errno();
    rc = open_named(list, name, &opened);
    tf_library.free_device_list(list);
    if (rc < 0)
        return rc;
    rc = tf_set_nonblocking(opened->async_fd);
    if (rc < 0) {
        tf_library.close_device(opened);
        return rc;
    }
    *context = opened;
    return 0;
}

int tf_device_close(struct ibv_context *context)
{
    return tf_status(tf_library.close_device(context));
}

int tf_device_query(struct ibv_context *context, struct tf_device_attributes *out)
{
    struct ibv_device_attr attr = {0};
    int rc = tf_status(tf_library.query_device(context, &attr));

    if (rc < 0)
        return rc;
    *out = (struct tf_device_attributes){
        .node_guid = be64toh(attr.node_guid),
        .max_mr_size = attr.max_mr_size,
        .port_count = attr.phys_port_cnt,
        .max_qp = attr.max_qp,
        .max_qp_wr = attr.max_qp_wr,
        .max_sge = attr.max_sge,
        .max_cq = attr.max_cq,
        .max_cqe = attr.max_cqe,
        .max_mr = attr.max_mr,
        .max_mw = attr.max_mw,
        .window_type2 = !!(attr.device_cap_flags & (IBV_DEVICE_MEM_WINDOW_TYPE_2A | IBV_DEVICE_MEM_WINDOW_TYPE_2B)),
        .max_pd = attr.max_pd,
        .max_srq = attr.max_srq,
        .max_srq_wr = attr.max_srq_wr,
        .max_reads_initiator = attr.max_qp_init_rd_atom,
        .max_reads_target = attr.max_qp_rd_atom,
    };
    snprintf(out->firmware, sizeof out->firmware, "%s", attr.fw_ver);
    return 0;
}

/* The inline ibv_query_port of verbs.h would link to libibverbs: this is the same by table. */
static int query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr)
{
    struct verbs_context *extended = verbs_get_ctx_op(context, query_port);

    if (extended)
        return extended->query_port(context, port, attr, sizeof *attr);
    return tf_library.query_port(context, port, (struct _compat_ibv_port_attr *)attr);
}

int tf_port_query(struct ibv_context *context, int port, struct tf_port_attributes *out)
{
    struct ibv_port_attr attr;
    int rc;

    memset(&attr, 0, sizeof attr);
    if (port < 1 || port > UINT8_MAX)
        return -EINVAL;
    rc = tf_status(query_port(context, port, &attr));
    if (rc < 0)
        return rc;
    *out = (struct tf_port_attributes){
        .state = attr.state,
        .link_layer = attr.link_layer,
        .max_mtu = attr.max_mtu,
        .active_mtu = attr.active_mtu,
        .lid = attr.lid,
        .gid_table_length = attr.gid_tbl_len,
        .max_message_size = attr.max_msg_sz,
        .active_width = attr.active_width,
        .active_speed = attr.active_speed,
    };
    return 0;
}

static void copy_entry(const struct ibv_gid_entry *entry, struct tf_gid_entry *out)
{
    char name[IF_NAMESIZE] = "";

    *out = (struct tf_gid_entry){.index = entry->gid_index, .type = entry->gid_type};
    memcpy(out->gid, entry->gid.raw, sizeof out->gid);
    if (entry->ndev_ifindex && if_indextoname(entry->ndev_ifindex, name))
        memcpy(out->netdev, name, sizeof out->netdev);
}

int tf_gid_query(struct ibv_context *context, int port, int table_length, struct tf_gid_entry *out, int capacity)
{
    struct ibv_gid_entry *entries;
    ssize_t used;
    int count = 0;

    if (!tf_library.query_gid_table)
        return -EOPNOTSUPP;
    entries = calloc(table_length, sizeof *entries);
    if (!entries)
        return -ENOMEM;
    used = tf_library.query_gid_table(context, entries, table_length, 0, sizeof *entries);
    for (ssize_t i = 0; i < used && count < capacity; i++) {
        if (entries[i].port_num == (uint32_t)port)
            copy_entry(&entries[i], &out[count++]);
    }
    free(entries);
    return used < 0 ? tf_status((int)used) : count;
}
