package io.tensorfabric.diagnostics;

import io.tensorfabric.verbs.Errno;
import io.tensorfabric.verbs.WorkCompletionStatus;

/** How to make sure of what a status or an error number tells. */
final class Checks {

    private static final String HERE = "`/actuator/queuepairs` and the log of this node.";

    private static final String PEER = "`/actuator/queuepairs` and the log of the peer.";

    private Checks() {}

    static String of(WorkCompletionStatus status) {
        return switch (status) {
            case SUCCESS -> "Nothing.";
            case LOC_LEN_ERR, LOC_QP_OP_ERR, LOC_PROT_ERR, LOC_ACCESS_ERR, MW_BIND_ERR -> HERE;
            case WR_FLUSH_ERR -> "The first failure of that queue pair, in `/actuator/queuepairs` of both ends.";
            case BAD_RESP_ERR ->
                "`mtu` in `/actuator/queuepairs` of both ends, and their versions in `/actuator/info`.";
            case REM_INV_REQ_ERR, REM_OP_ERR, REM_ABORT_ERR, REM_INV_RD_REQ_ERR -> PEER;
            case REM_ACCESS_ERR -> "`endedConnections` in `/actuator/queuepairs` of the peer: did it restart?";
            case RETRY_EXC_ERR, RESP_TIMEOUT_ERR ->
                "`/actuator/fabric` of both ends (port, GID, MTU), and counters of both ports.";
            case RNR_RETRY_EXC_ERR -> "Load of the peer, and `rnr_nak_retry_packets_received` of this port.";
            case FATAL_ERR, GENERAL_ERR -> "`dmesg`, and `/actuator/health`.";
            case LOC_EEC_OP_ERR, LOC_RDD_VIOL_ERR, INV_EECN_ERR, INV_EEC_STATE_ERR -> "`ibv_devinfo -v`.";
        };
    }

    static String of(Errno errno) {
        return switch (errno) {
            case EPERM -> "`grep CapEff /proc/self/status`, `id`.";
            case ENOENT, ENODEV -> "`ibv_devinfo`, `lsmod`.";
            case EINTR, EAGAIN -> "Whether it comes again.";
            case EIO, UNKNOWN -> "`dmesg`.";
            case ENOMEM -> "`ulimit -l`, `rdma resource show`.";
            case EACCES -> "`ls -l /dev/infiniband`.";
            case EFAULT -> "Whether the memory was freed; for GPU memory `lsmod | grep nvidia_peermem`.";
            case EBUSY -> "The message, which names what depends on it.";
            case EINVAL -> "The message, which names call and attributes.";
            case ENOSPC -> "`rdma resource show`.";
            case ENOSYS, EOPNOTSUPP -> "`ibv_devinfo -v`, `uname -r`.";
            case ENODATA, EADDRNOTAVAIL -> "`device.gid.candidates` of `/actuator/fabric`.";
            case EPROTO -> "`/actuator/info` of both ends.";
            case ENETUNREACH, EHOSTUNREACH -> "`ip route get ADDRESS`, `ip neigh`.";
            case ECONNRESET, ECONNREFUSED, ETIMEDOUT -> "The peer's log, `curl` of its url.";
        };
    }
}
