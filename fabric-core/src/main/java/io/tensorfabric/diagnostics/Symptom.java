package io.tensorfabric.diagnostics;

/**
 * What people see when something is wrong, with its usual cause, how to make sure, and what to do. Reports, health and
 * documents quote these, so that one thing has one explanation.
 */
public enum Symptom {
    // The start.
    NO_DEVICE(
            "The start fails, or the software device is used, since no RDMA device is there.",
            "The card or its driver is missing, or the container was given no device.",
            "`ibv_devinfo` and `rdma link show`, on the node and in the container.",
            "Load the card's driver, give the container /dev/infiniband (on Kubernetes by a device plugin), or set"
                    + " 'fabric.provider=soft'."),
    LIBRARY_MISSING(
            "The reason of the provider names libibverbs or the native library.",
            "The package rdma-core is not installed, or fabric-native is not on the class path or not for this platform.",
            "`ldconfig -p | grep ibverbs`; `providerReason` of the health.",
            "Install rdma-core (libibverbs1 and the card's provider), and add fabric-native."),
    DEVICE_PERMISSION(
            "Opening the device fails with EACCES or EPERM.",
            "The user may not open /dev/infiniband/uverbs*.",
            "`ls -l /dev/infiniband` as that user.",
            "Add the user to the group of these files (rdma), or mend the udev rule or the device plugin."),
    MEMLOCK_TOO_SMALL(
            "Registering memory fails with ENOMEM, often at the start.",
            "The limit of locked memory is smaller than the pools.",
            "`ulimit -l` and the message, which tells limit and capability.",
            "Raise the limit of locked memory (ulimit -l, LimitMEMLOCK of the service or the container runtime),"
                    + " or lower 'fabric.memory.host.slab-size' and 'fabric.memory.host.max-size'."),
    CAPABILITY_INERT(
            "IPC_LOCK was added to the container, and locking memory fails all the same.",
            "A capability that is added to a container does not reach a process that is not root.",
            "`grep CapEff /proc/self/status` in the container: bit 14 is not set.",
            "Run as uid 0 with all capabilities dropped but IPC_LOCK, or raise the runtime's LimitMEMLOCK on the node."),
    DEVICE_FAILED(
            "The health is DOWN: the device failed.",
            "Firmware or driver reset the card, or its completion queue overran.",
            "`dmesg` for the card, `/actuator/completionqueues`.",
            "Restart the service to open the device anew; if it comes again, update firmware and driver."),
    SOFTWARE_DEVICE(
            "Transfers work, at the speed of TCP.",
            "The software device is in use, because no other could be used.",
            "`provider.reason` of `/actuator/fabric`.",
            "Mend what the reason names, and set 'fabric.provider=verbs' so that the start fails rather than falls back."),

    // Port and address.
    PORT_DOWN(
            "A port is not ACTIVE, and the health is OUT_OF_SERVICE.",
            "The cable, the switch's port or the interface is down; on InfiniBand no subnet manager runs.",
            "`rdma link show`, `ip link show`, the switch's log.",
            "Bring the link up: `ip link set dev IFACE up`, cable, switch port, subnet manager."),
    GID_TABLE_EMPTY(
            "The GID table of a port has no usable entry.",
            "The network interface of the card has no address, or the pod lacks the card's network.",
            "`ip addr` and /sys/class/infiniband/DEVICE/ports/1/gids.",
            "Give the interface an address; on Kubernetes attach the card's network to the pod."),
    GID_LINK_LOCAL(
            "Peers on the same link work, others time out.",
            "The chosen GID is link-local.",
            "`device.gid` of `/actuator/fabric`.",
            "Give the interface a routable address, or set 'fabric.gid-index' to an entry that has one."),
    ROCE_V1(
            "Transfers across routers time out.",
            "The chosen GID is RoCE v1, which is not routable.",
            "`device.gid.type` of `/actuator/fabric`.",
            "Enable RoCE v2 on the port, and leave 'fabric.gid-index' out."),
    GID_CHANGED(
            "Connections fail with ENODATA or EADDRNOTAVAIL after addresses changed.",
            "An entry of the GID table went away or moved to another index.",
            "`device.gid.candidates` of `/actuator/fabric`, on both ends.",
            "Leave 'fabric.gid-index' out, so that the entry is chosen anew for each connection."),
    MTU_MISMATCH(
            "A connection uses a smaller MTU than the port has.",
            "The MTU of the two ends differs, and the smaller one counts.",
            "`mtu` of `/actuator/queuepairs` and `device.activeMtu` of both ends.",
            "Set the same MTU on both network interfaces and on the switches between."),
    MTU_SMALL(
            "The port's MTU is below 4096.",
            "The MTU of the network interface has no room for 4096 bytes and RoCE's headers.",
            "`ip link show` of the card's interface.",
            "Set its MTU to 4200 or more (`ip link set dev IFACE mtu 9000`), and that of the switches."),

    // Negotiation.
    PEER_UNREACHABLE(
            "Connecting fails: the peer cannot be reached, refuses the connection or does not answer.",
            "The peer is not running, its url is wrong, or a firewall is between.",
            "`lastFailure` of `/actuator/fabric/peers`; `curl` of the peer's url.",
            "Start the peer, and check 'fabric.peers', the name in the DNS, firewalls and network policies."),
    CALL_REFUSED(
            "The negotiation is answered 401 or 403.",
            "Shared secrets differ, a certificate does not fit, or the peer does not allow this node.",
            "The peer's log says which; 'fabric.security' of both ends.",
            "Give all nodes the same 'fabric.security.shared-secret', or mend certificate and 'allowed-peers'."),
    CLOCK_SKEW(
            "Calls are refused although the secrets are equal.",
            "The clocks of the two nodes differ by more than 'fabric.security.clock-skew'.",
            "`date` on both nodes.",
            "Synchronise the clocks (NTP, chrony)."),
    PLAINTEXT_REFUSED(
            "A peer beyond this machine is refused since its url is http.",
            "Keys would travel readably.",
            "The url in 'fabric.peers'.",
            "Use https with an SSL bundle; only in a closed network set 'fabric.security.allow-plaintext=true'."),
    NO_RIGHT(
            "The peer answers that this node may not push.",
            "Its 'fabric.security.allowed-peers' gives this node no right to.",
            "`rights` of the connection in `/actuator/queuepairs` of the peer.",
            "Add the right 'push' for this node at the peer."),
    BREAKER_OPEN(
            "Pushes fail at once: the circuit breaker of the peer is open.",
            "Many of the latest pushes to it failed.",
            "`/actuator/fabric/peers` of this node, then health and log of the peer.",
            "Mend the cause at the peer; the breaker tries again by itself, and closes when the peer connects."),

    // Queue pairs.
    QUEUE_PAIR_STUCK(
            "A queue pair stays in INIT or RTR.",
            "The negotiation stopped half-way: the other end failed or never got the last call.",
            "`/actuator/queuepairs` of both ends, `failedNegotiations`.",
            "Look for the failure at the end that is further back; it tears down by itself within the negotiation's timeout."),
    PATH_BROKEN(
            "The negotiation succeeds, and the first transfer ends with RETRY_EXC_ERR.",
            "Packets do not reach the peer: wrong GID or VLAN, or a filter drops UDP port 4791.",
            "GID and type of both ends, `rping` or `ib_write_bw` between them, counters of both ports.",
            "Put both ends into the same VLAN and family of addresses, and let UDP port 4791 pass."),
    LOSS_UNDER_LOAD(
            "Transfers end with RETRY_EXC_ERR under load, small ones work.",
            "Packets get lost when queues fill up: PFC or ECN is not set up the same way from end to end.",
            "`out_of_sequence_packets_received`, `packet_sequence_errors` and discards of both ports and the switches.",
            "Set PFC and ECN for the traffic class of 'fabric.connection.link.traffic-class' on cards and switches alike."),
    RECEIVER_NOT_READY(
            "Transfers end with RNR_RETRY_EXC_ERR, or rnr_nak counters grow.",
            "The receiver has no receive posted: its process is stalled or its credits are too few.",
            "Load and garbage collection of the peer, `rnr_nak_retry_packets_received`.",
            "Give the peer processors and memory, and raise its receive depth."),
    ACCESS_REFUSED(
            "Transfers end with REM_ACCESS_ERR.",
            "The peer restarted or took the landing zone back, or versions differ.",
            "`endedConnections` of `/actuator/queuepairs` of the peer.",
            "Nothing if it came once: the connection is made anew. Else use the same version at both ends."),
    ONLY_FLUSHED(
            "All that is seen is WR_FLUSH_ERR.",
            "The queue pair failed before; flushed work is what is left of it.",
            "The first failure of that queue pair in the log and in `/actuator/queuepairs`, at both ends.",
            "Mend that first failure."),
    QUEUE_PAIR_LIMIT(
            "Connecting fails with LIMIT, or with ENOMEM of ibv_create_qp.",
            "The device, 'fabric.completion.receive-entries' or 'fabric.connection.max-connections' has no room for more queue pairs.",
            "`rdma resource show`, `fabric.connection.count`, `fabric.connection.evictions`.",
            "Lower 'fabric.connection.bulk-lanes', or raise the limit if the device has more."),

    // Memory and listeners.
    POOL_EXHAUSTED(
            "Pushes fail with BACKPRESSURE: the pool is exhausted.",
            "More memory is in leases than the pool may hold, mostly since tensors are not closed.",
            "`/actuator/fabric/pools`, `fabric.pool.used`.",
            "Close tensors, or raise 'fabric.memory.host.max-size' together with the limit of locked memory."),
    LISTENER_HOLDS(
            "Pushes to one peer wait and miss their deadline while others work.",
            "Its listeners are slow or keep tensors open, so that its landing zone is full.",
            "`fabric.transfer.open` and `/actuator/fabric/transfers` of the peer.",
            "Close received tensors soon, copy what is kept, or raise 'fabric.landing.zone-size' there."),
    NO_LISTENER(
            "A push is refused: the receiver has no listener.",
            "No @TensorListener of the peer fits the tensor's name and the sender.",
            "The patterns in the peer's code; names are case-sensitive.",
            "Add a listener, or push under a name that one takes."),
    CHECKSUM(
            "A push is refused: its bytes are not those that were sent.",
            "The sender changed the tensor while it was pushed, or memory or network damages data.",
            "Whether it comes with unchanging tensors too; `rx_icrc_encapsulated_errors`, ECC errors.",
            "Do not write to a tensor before its future has ended; else replace the hardware."),

    // GPU and PCIe.
    GPU_INVISIBLE(
            "No GPU is used although the machine has one.",
            "The driver or JCuda is missing, or CUDA_VISIBLE_DEVICES or the container hides it.",
            "`nvidia-smi` in the container; `gpu.unavailable` of `/actuator/fabric`.",
            "Mend what the reason names; see docs/gpu.md."),
    GPU_STAGED(
            "Transfers of GPU memory are staged through host memory.",
            "Neither dma-buf nor nvidia_peermem is there, or the card cannot use them.",
            "`gpu.devices` of `/actuator/fabric`; `lsmod | grep nvidia_peermem`.",
            "`modprobe nvidia_peermem`, or a kernel, driver and rdma-core with dma-buf; 'fabric.gpu.direct=required' makes"
                    + " staging an error."),
    GPU_FAR(
            "Transfers of GPU memory are slower than the card.",
            "GPU and card sit apart, so that data passes the processor, or the link between processors.",
            "`/actuator/fabric/topology`, `nvidia-smi topo -m`.",
            "Set 'fabric.device' to the nearest card, or CUDA_VISIBLE_DEVICES to GPUs near this one."),
    ACS_REDIRECTS(
            "GPU and card share a switch, and transfers are slow all the same.",
            "Access control services of the switch send peer-to-peer traffic through the processor.",
            "`acs` in `/actuator/fabric/topology`, `lspci -vvv`.",
            "Switch ACS off in the firmware, or by setpci for the bridges that are named."),
    IOMMU_TRANSLATES(
            "Transfers of GPU memory are slow or fail with EFAULT.",
            "An IOMMU translates the addresses of the card.",
            "`iommu` in `/actuator/fabric/topology`.",
            "Boot the kernel with iommu=pt."),
    PCIE_DEGRADED(
            "No transfer gets faster than a half or a quarter of the card.",
            "The card's PCIe link has fewer lanes or a lower speed than it could.",
            "`link` in `/actuator/fabric/topology`, `lspci -vv`.",
            "Use a slot with all lanes, seat the card anew, look for link errors in the kernel log."),
    BAR1_SMALL(
            "Registering GPU memory fails with ENOMEM, though the GPU has plenty.",
            "The GPU's BAR1, through which the card reaches it, is smaller than the memory to register.",
            "`nvidia-smi -q | grep -A3 BAR1`.",
            "Enable resizable BAR and decoding above 4 GiB in the firmware, or lower 'fabric.memory.gpu.max-size'."),

    // The network.
    LINK_NOISY(
            "symbol_error, link_error_recovery or port_errors_received grow.",
            "Cable or transceiver is dirty, damaged or of the wrong kind.",
            "`fabric.port.counter`, `ethtool -m`.",
            "Clean, seat or replace cable and transceivers."),
    CONGESTION(
            "Throughput falls when several senders push to one receiver, and CNP counters grow.",
            "The receiver's link is full; ECN slows senders down, as it should.",
            "`np_cnp_packets_sent` at the receiver, `rp_cnp_packets_handled` at senders.",
            "Spread the load, or give the receiver more links; without ECN set it up, since PFC alone spreads congestion."),
    PREFLIGHT_UNKNOWN(
            "A step of the preflight is refused for its name.",
            "The peer runs a version that does not answer preflight by itself.",
            "`/actuator/info` of the peer.",
            "Use the same version at both ends.");

    private final String seen;

    private final String cause;

    private final String check;

    private final String remedy;

    Symptom(String seen, String cause, String check, String remedy) {
        this.seen = seen;
        this.cause = cause;
        this.check = check;
        this.remedy = remedy;
    }

    /** What people see, in sentences. */
    public String seen() {
        return seen;
    }

    /** Its usual cause, in sentences. */
    public String cause() {
        return cause;
    }

    /** Where to look to make sure, as Markdown; names of commands, endpoints, fields and meters. */
    public String check() {
        return check;
    }

    /** What to do, in sentences. */
    public String remedy() {
        return remedy;
    }
}
