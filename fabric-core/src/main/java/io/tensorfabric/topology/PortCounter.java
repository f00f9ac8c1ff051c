package io.tensorfabric.topology;

import java.util.List;

/**
 * A counter of a port. Names are those of Prometheus' node exporter without its prefix and suffix, so that both can be laid
 * beside each other; counters that it does not know keep the names of their files. A counter counts for the whole port,
 * whichever process the traffic belongs to.
 */
public enum PortCounter {
    /** Bytes received; the file counts words of four bytes. */
    DATA_RECEIVED(Kind.TRAFFIC, "port_data_received_bytes", 4, "counters/port_rcv_data"),
    /** Bytes sent; the file counts words of four bytes. */
    DATA_TRANSMITTED(Kind.TRAFFIC, "port_data_transmitted_bytes", 4, "counters/port_xmit_data"),
    /** Packets received. */
    PACKETS_RECEIVED(Kind.TRAFFIC, "port_packets_received", 1, "counters/port_rcv_packets", "hw_counters/rcvd_pkts"),
    /** Packets sent. */
    PACKETS_TRANSMITTED(
            Kind.TRAFFIC, "port_packets_transmitted", 1, "counters/port_xmit_packets", "hw_counters/sent_pkts"),

    /** RNR NAKs received: the peer had no receive posted. */
    RNR_NAK_RECEIVED(
            Kind.FAULT,
            "rnr_nak_retry_packets_received",
            "A peer posts too few receives: look at its load and at 'fabric.connection' there.",
            "hw_counters/rnr_nak_retry_err",
            "hw_counters/rcvd_rnr_err",
            "hw_counters/rnr_naks_rcvd"),
    /** RNR NAKs sent: this node had no receive posted. */
    RNR_NAK_SENT(
            Kind.FAULT,
            "send_rnr_err",
            "A process here posts too few receives: look at this node's load and receive credits.",
            "hw_counters/send_rnr_err"),
    /** Messages that came when no receive was posted. */
    OUT_OF_BUFFER(
            Kind.FAULT,
            "out_of_buffer_drops",
            "A process here posts too few receives: look at this node's load and receive credits.",
            "hw_counters/out_of_buffer"),
    /** RNR retries that were used up. */
    RNR_RETRY_EXCEEDED(
            Kind.FAULT,
            "retry_rnr_exceeded_err",
            "A peer posted no receive for too long: look at its load.",
            "hw_counters/retry_rnr_exceeded_err"),

    /** Packets received out of order, most often since one before was lost. */
    OUT_OF_SEQUENCE(
            Kind.FAULT,
            "out_of_sequence_packets_received",
            "Packets get lost on the way here: check PFC and ECN of cards and switches, MTU and cables.",
            "hw_counters/out_of_sequence",
            "hw_counters/out_of_seq_request",
            "hw_counters/oos_drop_count"),
    /** NAKs for lost packets received, each of which makes this node send again. */
    PACKET_SEQUENCE_ERROR(
            Kind.FAULT,
            "packet_sequence_errors",
            "Packets get lost on the way to a peer: check PFC and ECN of cards and switches, MTU and cables.",
            "hw_counters/packet_seq_err",
            "hw_counters/rcvd_seq_err",
            "hw_counters/seq_err_naks_rcvd"),
    /** Read responses that were missing. */
    IMPLIED_NAK(
            Kind.FAULT,
            "implied_nak_seq_errors",
            "Packets get lost on the way here: check PFC and ECN of cards and switches, MTU and cables.",
            "hw_counters/implied_nak_seq_err"),
    /** Acknowledgements that did not come in time, each of which makes this node send again. */
    ACK_TIMEOUT(
            Kind.FAULT,
            "local_ack_timeout_errors",
            "A peer died, or packets get lost: check the peer, PFC and ECN, MTU and cables.",
            "hw_counters/local_ack_timeout_err",
            "hw_counters/to_retransmits"),
    /** Times that rxe sent again. */
    COMPLETER_RETRY(
            Kind.FAULT,
            "completer_retry_err",
            "Packets get lost, or a peer is slow: check the network and the load of both hosts.",
            "hw_counters/completer_retry_err"),
    /** Retries that were used up. */
    RETRY_EXCEEDED(
            Kind.FAULT,
            "retry_exceeded_err",
            "A peer died or cannot be reached: check it, the link, the GID and the MTU.",
            "hw_counters/retry_exceeded_err",
            "hw_counters/max_retry_exceeded"),
    /** Packets that came a second time. */
    DUPLICATE_REQUEST(Kind.CONGESTION, "duplicate_requests_packets", 1, "hw_counters/duplicate_request"),
    /** Adaptive retransmissions. */
    ADAPTIVE_RETRANSMIT(
            Kind.FAULT,
            "roce_adp_retransmits",
            "Packets get lost: check PFC and ECN of cards and switches, MTU and cables.",
            "hw_counters/roce_adp_retrans"),

    /** Congestion notifications sent, because marked packets came. */
    CNP_SENT(Kind.CONGESTION, "np_cnp_packets_sent", 1, "hw_counters/np_cnp_sent", "hw_counters/cnpSent"),
    /** Congestion notifications received, each of which slows this node down. */
    CNP_HANDLED(Kind.CONGESTION, "rp_cnp_packets_handled", 1, "hw_counters/rp_cnp_handled", "hw_counters/cnpHandled"),
    /** Packets that a switch marked as congested. */
    ECN_MARKED(
            Kind.CONGESTION,
            "np_ecn_marked_roce_packets_received",
            1,
            "hw_counters/np_ecn_marked_roce_packets",
            "hw_counters/RxECNMrkd"),
    /** Ticks in which there was something to send and no credit or a pause. */
    TRANSMIT_WAIT(Kind.CONGESTION, "port_transmit_wait", 1, "counters/port_xmit_wait"),

    /** Packets that could not be sent. */
    DISCARDS_TRANSMITTED(
            Kind.FAULT,
            "port_discards_transmitted",
            "The port was down or congested: check the link, PFC and the switch's buffers.",
            "counters/port_xmit_discards"),
    /** Packets that were dropped on arrival. */
    DISCARDS_RECEIVED(
            Kind.FAULT,
            "port_discards_received",
            "The port could not take them: check PFC, MTU and VLAN of both ends.",
            "counters/port_rcv_discards"),
    /** Broken packets received. */
    ERRORS_RECEIVED(
            Kind.FAULT,
            "port_errors_received",
            "Packets are damaged on the way: check or replace cable and transceivers.",
            "counters/port_rcv_errors"),
    /** RoCE packets with a wrong checksum. */
    ICRC_ERRORS(
            Kind.FAULT,
            "rx_icrc_encapsulated_errors",
            "Packets are damaged or changed on the way: check cables, and that nothing rewrites RoCE packets.",
            "hw_counters/rx_icrc_encapsulated"),
    /** Symbols that could not be read. */
    SYMBOL_ERROR(
            Kind.FAULT,
            "symbol_error",
            "The link is noisy: check or replace cable and transceivers.",
            "counters/symbol_error"),
    /** Times that the link came back after an error. */
    LINK_ERROR_RECOVERY(
            Kind.FAULT,
            "link_error_recovery",
            "The link is noisy: check or replace cable and transceivers.",
            "counters/link_error_recovery"),
    /** Times that the link went down. */
    LINK_DOWNED(
            Kind.FAULT,
            "link_downed",
            "The link went down: check cable, transceivers, the switch's port and its log.",
            "counters/link_downed",
            "hw_counters/link_downed"),
    /** Errors of the local physical layer. */
    LOCAL_LINK_INTEGRITY(
            Kind.FAULT,
            "local_link_integrity_errors",
            "The link is noisy: check or replace cable and transceivers.",
            "counters/local_link_integrity_errors"),
    /** Overruns of the port's buffers. */
    BUFFER_OVERRUN(
            Kind.FAULT,
            "excessive_buffer_overrun_errors",
            "Flow control does not hold senders back: check PFC of the card and the switch.",
            "counters/excessive_buffer_overrun_errors"),
    /** Packets that rxe could not send. */
    SEND_ERROR(
            Kind.FAULT,
            "send_err",
            "The network interface refused packets: check its state, routes and neighbour entries.",
            "hw_counters/send_err"),
    /** Accesses of this node that a peer refused. */
    REMOTE_ACCESS_ERRORS(
            Kind.FAULT,
            "req_remote_access_errors",
            "A peer refused keys or ranges: it restarted, or versions differ.",
            "hw_counters/req_remote_access_errors"),
    /** Accesses of peers that this node refused. */
    REFUSED_ACCESSES(
            Kind.FAULT,
            "resp_remote_access_errors",
            "A peer used keys or ranges that it does not have: find out which, see /actuator/queuepairs.",
            "hw_counters/resp_remote_access_errors");

    /** What growth of a counter tells. */
    public enum Kind {
        /** Nothing but use. */
        TRAFFIC,
        /** Queues fill up, and senders are slowed down as they should be. */
        CONGESTION,
        /** Something is wrong; a healthy port does not count these. */
        FAULT
    }

    private final Kind kind;

    private final String label;

    private final int unit;

    private final String remedy;

    @SuppressWarnings("ImmutableEnumChecker") // by List.of
    private final List<String> files;

    PortCounter(Kind kind, String label, int unit, String... files) {
        this.kind = kind;
        this.label = label;
        this.unit = unit;
        this.remedy = "";
        this.files = List.of(files);
    }

    PortCounter(Kind kind, String label, String remedy, String... files) {
        this.kind = kind;
        this.label = label;
        this.unit = 1;
        this.remedy = remedy;
        this.files = List.of(files);
    }

    /** What its growth tells. */
    public Kind kind() {
        return kind;
    }

    /** Name for people and metrics, such as {@code symbol_error}. */
    public String label() {
        return label;
    }

    /** What to do when it grows, in sentences; empty unless it is a fault. */
    public String remedy() {
        return remedy;
    }

    /** Files below the port's folder that hold it, of one driver or another. */
    List<String> files() {
        return files;
    }

    /** What one count stands for: bytes for data, else 1. */
    int unit() {
        return unit;
    }
}
