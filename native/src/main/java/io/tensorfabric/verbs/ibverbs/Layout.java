package io.tensorfabric.verbs.ibverbs;

import io.tensorfabric.verbs.ReceiveRequests;
import io.tensorfabric.verbs.SendRequests;
import io.tensorfabric.verbs.WorkCompletions;
import java.util.ArrayList;
import java.util.List;

/**
 * Sizes and offsets of the structures that Java and the shim share, as in its header {@code layout.h}. The library is
 * asked for its own when it is loaded, and refused when one differs.
 */
final class Layout {

    /** Bytes of a device name. */
    static final int NAME_SIZE = 64;

    static final int FIRMWARE_SIZE = 64;

    static final int NETDEV_SIZE = 16;

    static final int DEVICE_SIZE = 136;
    static final int DEVICE_FIRMWARE = 0;
    static final int DEVICE_NODE_GUID = 64;
    static final int DEVICE_MAX_MR_SIZE = 72;
    static final int DEVICE_PORT_COUNT = 80;
    static final int DEVICE_MAX_QP = 84;
    static final int DEVICE_MAX_QP_WR = 88;
    static final int DEVICE_MAX_SGE = 92;
    static final int DEVICE_MAX_CQ = 96;
    static final int DEVICE_MAX_CQE = 100;
    static final int DEVICE_MAX_MR = 104;
    static final int DEVICE_MAX_MW = 108;
    static final int DEVICE_WINDOW_TYPE2 = 112;
    static final int DEVICE_MAX_PD = 116;
    static final int DEVICE_MAX_SRQ = 120;
    static final int DEVICE_MAX_SRQ_WR = 124;
    static final int DEVICE_MAX_READS_INITIATOR = 128;
    static final int DEVICE_MAX_READS_TARGET = 132;

    static final int PORT_SIZE = 40;
    static final int PORT_STATE = 0;
    static final int PORT_LINK_LAYER = 4;
    static final int PORT_MAX_MTU = 8;
    static final int PORT_ACTIVE_MTU = 12;
    static final int PORT_LID = 16;
    static final int PORT_GID_TABLE_LENGTH = 20;
    static final int PORT_MAX_MESSAGE_SIZE = 24;
    static final int PORT_ACTIVE_WIDTH = 28;
    static final int PORT_ACTIVE_SPEED = 32;

    static final int GID_SIZE = 40;
    static final int GID_ADDRESS = 0;
    static final int GID_INDEX = 16;
    static final int GID_TYPE = 20;
    static final int GID_NETDEV = 24;

    static final int OPTIONS_SIZE = 32;
    static final int OPTIONS_TYPE = 0;
    static final int OPTIONS_SIGNAL_ALL = 4;
    static final int OPTIONS_MAX_SEND_REQUESTS = 8;
    static final int OPTIONS_MAX_RECEIVE_REQUESTS = 12;
    static final int OPTIONS_MAX_SEND_ELEMENTS = 16;
    static final int OPTIONS_MAX_RECEIVE_ELEMENTS = 20;
    static final int OPTIONS_MAX_INLINE = 24;

    static final int PAIR_SIZE = 96;
    static final int PAIR_STATE = 0;
    static final int PAIR_ACCESS = 4;
    static final int PAIR_PKEY_INDEX = 8;
    static final int PAIR_PORT = 12;
    static final int PAIR_PATH_MTU = 16;
    static final int PAIR_TIMEOUT = 20;
    static final int PAIR_RETRY_COUNT = 24;
    static final int PAIR_RNR_RETRY = 28;
    static final int PAIR_RECEIVE_PSN = 32;
    static final int PAIR_SEND_PSN = 36;
    static final int PAIR_MAX_READS_INITIATOR = 40;
    static final int PAIR_MAX_READS_TARGET = 44;
    static final int PAIR_MIN_RNR_TIMER = 48;
    static final int PAIR_DESTINATION_QPN = 52;
    static final int PAIR_LID = 56;
    static final int PAIR_SOURCE_GID_INDEX = 60;
    static final int PAIR_TRAFFIC_CLASS = 64;
    static final int PAIR_SERVICE_LEVEL = 68;
    static final int PAIR_HOP_LIMIT = 72;
    static final int PAIR_GLOBAL = 76;
    static final int PAIR_GID = 80;

    static final int EVENT_SIZE = 16;
    static final int EVENT_ELEMENT = 0;
    static final int EVENT_TYPE = 8;
    static final int EVENT_PORT = 12;

    /**
     * A size or an offset.
     *
     * @param name as in C
     * @param value in Java
     */
    record Entry(String name, int value) {}

    private Layout() {}

    /** All sizes and offsets in the order of {@code TF_LAYOUT}. */
    static List<Entry> entries() {
        List<Entry> entries = new ArrayList<>();
        addRequests(entries);
        addDevice(entries);
        addQueuePair(entries);
        return entries;
    }

    private static void add(List<Entry> entries, String name, int value) {
        entries.add(new Entry(name, value));
    }

    private static void addRequests(List<Entry> entries) {
        add(entries, "tf_send_request", SendRequests.STRIDE);
        add(entries, "tf_send_request.id", SendRequests.OFFSET_ID);
        add(entries, "tf_send_request.opcode", SendRequests.OFFSET_OPCODE);
        add(entries, "tf_send_request.flags", SendRequests.OFFSET_FLAGS);
        add(entries, "tf_send_request.immediate", SendRequests.OFFSET_IMMEDIATE);
        add(entries, "tf_send_request.element_count", SendRequests.OFFSET_ELEMENT_COUNT);
        add(entries, "tf_send_request.remote_address", SendRequests.OFFSET_REMOTE_ADDRESS);
        add(entries, "tf_send_request.rkey", SendRequests.OFFSET_RKEY);
        add(entries, "tf_send_request.elements", SendRequests.OFFSET_ELEMENTS);
        add(entries, "tf_send_request.bind.window", SendRequests.OFFSET_BIND_WINDOW);
        add(entries, "tf_send_request.bind.address", SendRequests.OFFSET_BIND_ADDRESS);
        add(entries, "tf_send_request.bind.length", SendRequests.OFFSET_BIND_LENGTH);
        add(entries, "tf_send_request.bind.lkey", SendRequests.OFFSET_BIND_LKEY);
        add(entries, "tf_send_request.bind.rkey", SendRequests.OFFSET_BIND_RKEY);
        add(entries, "tf_send_request.bind.access", SendRequests.OFFSET_BIND_ACCESS);
        add(entries, "tf_send_request.bind.region", SendRequests.OFFSET_BIND_REGION);
        add(entries, "ibv_sge", SendRequests.ELEMENT_STRIDE);
        add(entries, "ibv_sge.addr", 0);
        add(entries, "ibv_sge.length", 8);
        add(entries, "ibv_sge.lkey", 12);
        add(entries, "tf_receive_request", ReceiveRequests.STRIDE);
        add(entries, "tf_receive_request.id", ReceiveRequests.OFFSET_ID);
        add(entries, "tf_receive_request.element_count", ReceiveRequests.OFFSET_ELEMENT_COUNT);
        add(entries, "tf_receive_request.elements", ReceiveRequests.OFFSET_ELEMENTS);
        add(entries, "ibv_wc", WorkCompletions.STRIDE);
        add(entries, "ibv_wc.wr_id", WorkCompletions.OFFSET_ID);
        add(entries, "ibv_wc.status", WorkCompletions.OFFSET_STATUS);
        add(entries, "ibv_wc.opcode", WorkCompletions.OFFSET_OPCODE);
        add(entries, "ibv_wc.vendor_err", WorkCompletions.OFFSET_VENDOR_ERROR);
        add(entries, "ibv_wc.byte_len", WorkCompletions.OFFSET_BYTE_LENGTH);
        add(entries, "ibv_wc.imm_data", WorkCompletions.OFFSET_IMMEDIATE);
        add(entries, "ibv_wc.qp_num", WorkCompletions.OFFSET_QP_NUMBER);
        add(entries, "ibv_wc.src_qp", WorkCompletions.OFFSET_SOURCE_QP);
        add(entries, "ibv_wc.wc_flags", WorkCompletions.OFFSET_FLAGS);
    }

    private static void addDevice(List<Entry> entries) {
        add(entries, "tf_device_attributes", DEVICE_SIZE);
        add(entries, "tf_device_attributes.firmware", DEVICE_FIRMWARE);
        add(entries, "tf_device_attributes.node_guid", DEVICE_NODE_GUID);
        add(entries, "tf_device_attributes.max_mr_size", DEVICE_MAX_MR_SIZE);
        add(entries, "tf_device_attributes.port_count", DEVICE_PORT_COUNT);
        add(entries, "tf_device_attributes.max_qp", DEVICE_MAX_QP);
        add(entries, "tf_device_attributes.max_qp_wr", DEVICE_MAX_QP_WR);
        add(entries, "tf_device_attributes.max_sge", DEVICE_MAX_SGE);
        add(entries, "tf_device_attributes.max_cq", DEVICE_MAX_CQ);
        add(entries, "tf_device_attributes.max_cqe", DEVICE_MAX_CQE);
        add(entries, "tf_device_attributes.max_mr", DEVICE_MAX_MR);
        add(entries, "tf_device_attributes.max_mw", DEVICE_MAX_MW);
        add(entries, "tf_device_attributes.window_type2", DEVICE_WINDOW_TYPE2);
        add(entries, "tf_device_attributes.max_pd", DEVICE_MAX_PD);
        add(entries, "tf_device_attributes.max_srq", DEVICE_MAX_SRQ);
        add(entries, "tf_device_attributes.max_srq_wr", DEVICE_MAX_SRQ_WR);
        add(entries, "tf_device_attributes.max_reads_initiator", DEVICE_MAX_READS_INITIATOR);
        add(entries, "tf_device_attributes.max_reads_target", DEVICE_MAX_READS_TARGET);
        add(entries, "tf_port_attributes", PORT_SIZE);
        add(entries, "tf_port_attributes.state", PORT_STATE);
        add(entries, "tf_port_attributes.link_layer", PORT_LINK_LAYER);
        add(entries, "tf_port_attributes.max_mtu", PORT_MAX_MTU);
        add(entries, "tf_port_attributes.active_mtu", PORT_ACTIVE_MTU);
        add(entries, "tf_port_attributes.lid", PORT_LID);
        add(entries, "tf_port_attributes.gid_table_length", PORT_GID_TABLE_LENGTH);
        add(entries, "tf_port_attributes.max_message_size", PORT_MAX_MESSAGE_SIZE);
        add(entries, "tf_port_attributes.active_width", PORT_ACTIVE_WIDTH);
        add(entries, "tf_port_attributes.active_speed", PORT_ACTIVE_SPEED);
        add(entries, "tf_gid_entry", GID_SIZE);
        add(entries, "tf_gid_entry.gid", GID_ADDRESS);
        add(entries, "tf_gid_entry.index", GID_INDEX);
        add(entries, "tf_gid_entry.type", GID_TYPE);
        add(entries, "tf_gid_entry.netdev", GID_NETDEV);
    }

    private static void addQueuePair(List<Entry> entries) {
        add(entries, "tf_qp_options", OPTIONS_SIZE);
        add(entries, "tf_qp_options.type", OPTIONS_TYPE);
        add(entries, "tf_qp_options.signal_all", OPTIONS_SIGNAL_ALL);
        add(entries, "tf_qp_options.max_send_requests", OPTIONS_MAX_SEND_REQUESTS);
        add(entries, "tf_qp_options.max_receive_requests", OPTIONS_MAX_RECEIVE_REQUESTS);
        add(entries, "tf_qp_options.max_send_elements", OPTIONS_MAX_SEND_ELEMENTS);
        add(entries, "tf_qp_options.max_receive_elements", OPTIONS_MAX_RECEIVE_ELEMENTS);
        add(entries, "tf_qp_options.max_inline", OPTIONS_MAX_INLINE);
        add(entries, "tf_qp_attributes", PAIR_SIZE);
        add(entries, "tf_qp_attributes.state", PAIR_STATE);
        add(entries, "tf_qp_attributes.access", PAIR_ACCESS);
        add(entries, "tf_qp_attributes.pkey_index", PAIR_PKEY_INDEX);
        add(entries, "tf_qp_attributes.port", PAIR_PORT);
        add(entries, "tf_qp_attributes.path_mtu", PAIR_PATH_MTU);
        add(entries, "tf_qp_attributes.timeout", PAIR_TIMEOUT);
        add(entries, "tf_qp_attributes.retry_count", PAIR_RETRY_COUNT);
        add(entries, "tf_qp_attributes.rnr_retry", PAIR_RNR_RETRY);
        add(entries, "tf_qp_attributes.receive_psn", PAIR_RECEIVE_PSN);
        add(entries, "tf_qp_attributes.send_psn", PAIR_SEND_PSN);
        add(entries, "tf_qp_attributes.max_reads_initiator", PAIR_MAX_READS_INITIATOR);
        add(entries, "tf_qp_attributes.max_reads_target", PAIR_MAX_READS_TARGET);
        add(entries, "tf_qp_attributes.min_rnr_timer", PAIR_MIN_RNR_TIMER);
        add(entries, "tf_qp_attributes.destination_qpn", PAIR_DESTINATION_QPN);
        add(entries, "tf_qp_attributes.lid", PAIR_LID);
        add(entries, "tf_qp_attributes.source_gid_index", PAIR_SOURCE_GID_INDEX);
        add(entries, "tf_qp_attributes.traffic_class", PAIR_TRAFFIC_CLASS);
        add(entries, "tf_qp_attributes.service_level", PAIR_SERVICE_LEVEL);
        add(entries, "tf_qp_attributes.hop_limit", PAIR_HOP_LIMIT);
        add(entries, "tf_qp_attributes.global", PAIR_GLOBAL);
        add(entries, "tf_qp_attributes.gid", PAIR_GID);
        add(entries, "tf_async_event", EVENT_SIZE);
        add(entries, "tf_async_event.element", EVENT_ELEMENT);
        add(entries, "tf_async_event.type", EVENT_TYPE);
        add(entries, "tf_async_event.port", EVENT_PORT);
    }
}
