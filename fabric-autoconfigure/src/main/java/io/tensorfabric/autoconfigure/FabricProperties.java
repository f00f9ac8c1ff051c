package io.tensorfabric.autoconfigure;

import java.net.URI;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.convert.DurationUnit;
import org.springframework.util.unit.DataSize;

/**
 * Properties of the fabric. A duration needs its unit, a size without one is in bytes. An unknown property below
 * {@code fabric} stops the start, because it is nearly always a misspelt one.
 *
 * @param enabled Whether to configure the fabric at all.
 * @param provider Where devices come from: "verbs" for RDMA cards and Soft-RoCE, "soft" for the software device, "auto"
 *     for verbs when a device is usable and soft otherwise.
 * @param device Name of the device, such as "mlx5_0". Without it the device with an active port that is nearest to the
 *     GPUs in use, or the first one where there is no GPU.
 * @param port Number of the device's port. Without it the first active port is used.
 * @param gidIndex Index into the port's GID table. Without it the best entry is chosen: RoCE v2 before v1, routable
 *     before link-local.
 * @param nodeId Id of this node, unique among all nodes. Without it the application's name and a random part drawn at
 *     each start are used, so set it where a restarted node should be known as the same one.
 * @param peers Peers that this node may push to: a list of name and url, or comma-separated "name=url".
 * @param discovery How peers are found that are not listed.
 * @param memory Memory that is registered with the device.
 * @param gpu GPUs whose memory tensors lie in.
 * @param completion Completion queues and the threads that poll them.
 * @param connection How connections are made and kept.
 * @param landing Memory of this node that peers write to.
 * @param transfer How tensors are pushed.
 * @param listener Listeners of tensors.
 * @param observation Observations of pushes and listeners.
 * @param resilience How pushes are tried again, given up and held back, each peer by itself.
 * @param negotiation How peers find each other over REST.
 * @param security What protects the negotiation, and with it the remote keys.
 * @param soft The software device.
 * @param diagnostics What is looked at besides the fabric itself.
 */
@ConfigurationProperties(prefix = "fabric", ignoreUnknownFields = false)
public record FabricProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("auto") Provider provider,
        @Nullable String device,
        @Nullable Integer port,
        @Nullable Integer gidIndex,
        @Nullable String nodeId,
        @DefaultValue List<Peer> peers,
        @DefaultValue @NestedConfigurationProperty DiscoveryProperties discovery,
        @DefaultValue Memory memory,
        @DefaultValue @NestedConfigurationProperty GpuProperties gpu,
        @DefaultValue @NestedConfigurationProperty CompletionProperties completion,
        @DefaultValue @NestedConfigurationProperty ConnectionProperties connection,
        @DefaultValue @NestedConfigurationProperty TransferProperties.Landing landing,
        @DefaultValue @NestedConfigurationProperty TransferProperties transfer,
        @DefaultValue @NestedConfigurationProperty ListenerProperties listener,
        @DefaultValue Observation observation,
        @DefaultValue @NestedConfigurationProperty ResilienceProperties resilience,
        @DefaultValue Negotiation negotiation,
        @DefaultValue Security security,
        @DefaultValue Soft soft,
        @DefaultValue @NestedConfigurationProperty DiagnosticsProperties diagnostics) {

    public FabricProperties {
        PropertyChecks.range("fabric.port", port, 1, 255);
        PropertyChecks.range("fabric.gid-index", gidIndex, 0, 65535);
        if (nodeId != null) {
            PropertyChecks.name("fabric.node-id", nodeId);
        }
        peers = List.copyOf(peers);
        Set<String> names = new HashSet<>();
        for (Peer peer : peers) {
            PropertyChecks.require("fabric.peers", peer.name(), names.add(peer.name()), "Two peers have this name.");
        }
        PropertyChecks.require(
                "fabric.security.mutual-tls",
                security.mutualTls(),
                !security.mutualTls() || !security.allowPlaintext(),
                "Callers cannot show certificates where \"fabric.security.allow-plaintext\" is true: set one of the two.");
        connection.toOptions();
        transfer.toOptions(landing);
    }

    /** The same with other peers, and with a secret and an address of the software device where these are given. */
    FabricProperties with(List<Peer> morePeers, @Nullable String secret, @Nullable String softAddress) {
        return new FabricProperties(
                enabled,
                provider,
                device,
                port,
                gidIndex,
                nodeId,
                morePeers,
                discovery,
                memory,
                gpu,
                completion,
                connection,
                landing,
                transfer,
                listener,
                observation,
                resilience,
                negotiation,
                secret == null ? security : security.withSharedSecret(secret),
                softAddress == null ? soft : new Soft(softAddress, soft.port(), null),
                diagnostics);
    }

    /**
     * Observations.
     *
     * @param enabled Whether pushes and listeners are observed, so that traces go from one to the other, where there is an
     *     ObservationRegistry.
     */
    public record Observation(@DefaultValue("true") boolean enabled) {}

    /** Where devices come from. */
    public enum Provider {
        /** Verbs when a device is usable, else the software device. */
        AUTO,
        /** Devices of libibverbs only; without one the start fails. */
        VERBS,
        /** The software device. */
        SOFT
    }

    /**
     * A peer.
     *
     * @param name Name by which this application calls the peer.
     * @param url Base URL of the peer, such as "https://ranker:8443". "host:port" means https, or http for this machine
     *     and where plaintext is allowed.
     * @param nodeId Node id that the peer must have. Without it whoever answers under the url is the peer.
     */
    public record Peer(String name, String url, @Nullable String nodeId) {

        public Peer {
            PropertyChecks.name("fabric.peers[].name", name);
            if (nodeId != null) {
                PropertyChecks.name("fabric.peers[].node-id", nodeId);
            }
            PropertyChecks.require("fabric.peers[].url", url, url != null && !url.isBlank(), "A peer needs a url.");
            PeerUris.check(url);
        }

        /** Reads {@code name=url}, the form of comma-separated lists. */
        public static Peer valueOf(String text) {
            int equals = text.indexOf('=');
            PropertyChecks.require("fabric.peers", text, equals > 0, "Write a peer as name=url.");
            return new Peer(
                    text.substring(0, equals).strip(),
                    text.substring(equals + 1).strip(),
                    null);
        }

        /** The complete url. */
        public URI uri(boolean allowPlaintext) {
            return PeerUris.parse(url, allowPlaintext);
        }
    }

    /**
     * Registered memory.
     *
     * @param host Host memory.
     * @param gpu Memory of each GPU.
     * @param relaxedOrdering Whether a device that can may write to memory in another order than bytes came, which is faster on
     *     some machines. Nothing is read before the device has reported all of it, so that the order does not show.
     */
    public record Memory(
            @DefaultValue Host host,
            @DefaultValue Gpu gpu,
            @DefaultValue("true") boolean relaxedOrdering) {

        /**
         * Memory of each GPU.
         *
         * @param slabSize Size of the blocks that are allocated and registered at once.
         * @param maxSize Most memory of a GPU that the fabric allocates, landing zones included.
         * @param acquireTimeout Longest wait for a buffer when all are in use; zero fails at once.
         */
        public record Gpu(
                @DefaultValue("256MB") DataSize slabSize,
                @DefaultValue("2GB") DataSize maxSize,

                @DefaultValue("5s") @DurationUnit(ChronoUnit.SECONDS)
                Duration acquireTimeout) {

            private static final DataSize BLOCK = DataSize.ofKilobytes(64);

            public Gpu {
                PropertyChecks.atLeast("fabric.memory.gpu.slab-size", slabSize, BLOCK);
                PropertyChecks.atLeast("fabric.memory.gpu.max-size", maxSize, BLOCK);
                PropertyChecks.notNegative("fabric.memory.gpu.acquire-timeout", acquireTimeout);
            }
        }

        /**
         * Host memory.
         *
         * @param slabSize Size of the blocks that are registered at once.
         * @param maxSize Most memory that is registered; also counts against the limit of locked memory.
         * @param acquireTimeout Longest wait for a buffer when all are in use; zero fails at once.
         * @param shared Whether software devices of the same user on this host may copy from it directly, instead of
         *     being sent the bytes. It lies in /dev/shm then, of which at most half of what is free is taken, and all
         *     of a block at once.
         * @param hugePages Whether it is made of huge pages where the machine has set some aside and mounted them: "auto", or
         *     "off". Memory that software devices share and memory that GPUs copy from is never.
         */
        public record Host(
                @DefaultValue("256MB") DataSize slabSize,
                @DefaultValue("1GB") DataSize maxSize,

                @DefaultValue("5s") @DurationUnit(ChronoUnit.SECONDS)
                Duration acquireTimeout,

                @DefaultValue("true") boolean shared,
                @DefaultValue("auto") HugePages hugePages) {

            /** Whether huge pages are used. */
            public enum HugePages {
                /** Where there are some. */
                AUTO,
                /** Never. */
                OFF
            }

            public Host {
                PropertyChecks.atLeast("fabric.memory.host.slab-size", slabSize, PropertyChecks.PAGE);
                PropertyChecks.atLeast("fabric.memory.host.max-size", maxSize, PropertyChecks.PAGE);
                PropertyChecks.notNegative("fabric.memory.host.acquire-timeout", acquireTimeout);
            }
        }
    }

    /**
     * The REST negotiation.
     *
     * @param path Path of the negotiation on this node's web server and below the peers' urls.
     * @param maxBodySize Largest body of a call or of an answer.
     * @param bodyTimeout Longest time for a call's body to arrive.
     * @param connectTimeout Longest time for a TCP connection to a peer.
     * @param maxCallsPerPeer Most calls of one peer that are answered at a time; more get 429.
     * @param maxConnectionsPerAddress Most connections that one address may have asked for, whatever the node ids; more
     *     get 429.
     * @param ssl TLS towards peers.
     */
    public record Negotiation(
            @DefaultValue("/fabric/v1") String path,
            @DefaultValue("256KB") DataSize maxBodySize,

            @DefaultValue("10s") @DurationUnit(ChronoUnit.SECONDS)
            Duration bodyTimeout,

            @DefaultValue("2s") @DurationUnit(ChronoUnit.SECONDS)
            Duration connectTimeout,

            @DefaultValue("16") int maxCallsPerPeer,
            @DefaultValue("64") int maxConnectionsPerAddress,
            @DefaultValue Ssl ssl) {

        public Negotiation {
            PropertyChecks.require(
                    "fabric.negotiation.path",
                    path,
                    path.matches("(/[A-Za-z0-9._-]+)+"),
                    "It must begin with a slash, end without one, and hold letters, digits, dots and dashes.");
            PropertyChecks.atLeast("fabric.negotiation.max-body-size", maxBodySize, PropertyChecks.PAGE);
            PropertyChecks.require(
                    "fabric.negotiation.max-body-size",
                    maxBodySize,
                    maxBodySize.toBytes() <= DataSize.ofMegabytes(16).toBytes(),
                    "It must be at most 16MB.");
            PropertyChecks.positive("fabric.negotiation.body-timeout", bodyTimeout);
            PropertyChecks.positive("fabric.negotiation.connect-timeout", connectTimeout);
            PropertyChecks.range("fabric.negotiation.max-calls-per-peer", maxCallsPerPeer, 1, 1024);
            PropertyChecks.range("fabric.negotiation.max-connections-per-address", maxConnectionsPerAddress, 1, 65535);
        }

        /**
         * TLS towards peers.
         *
         * @param bundle Name of the SSL bundle with which this node calls peers.
         */
        public record Ssl(@Nullable String bundle) {}
    }

    /**
     * Protection of the negotiation.
     *
     * @param sharedSecret Secret that all nodes share and with which they sign calls and answers, at least 16 characters.
     *     Without it only callers on this machine are answered.
     * @param allowPlaintext Whether to negotiate without TLS beyond this machine. Remote keys then travel readably.
     * @param mutualTls Whether callers must show a client certificate that holds their node id, or the name that
     *     "fabric.security.allowed-peers" gives for it. Then the shared secret is not needed; if there is one, both must fit.
     * @param allowedPeers Nodes that may connect, and what they may do here; the first entry that covers a node counts.
     *     Without entries all nodes that prove who they are may do everything.
     * @param clockSkew How far the clock of a caller may be off; a captured call is remembered for twice as long.
     */
    public record Security(
            @Nullable String sharedSecret,
            @DefaultValue("false") boolean allowPlaintext,
            @DefaultValue("false") boolean mutualTls,
            @DefaultValue List<AllowedPeer> allowedPeers,

            @DefaultValue("30s") @DurationUnit(ChronoUnit.SECONDS)
            Duration clockSkew) {

        private static final int MIN_SECRET = 16;

        // What Spring leaves of "${NAME}" when nothing sets NAME: everybody could guess it.
        private static final Pattern UNRESOLVED = Pattern.compile("\\$\\{[^}]*}");

        public Security {
            if (sharedSecret != null && sharedSecret.isBlank()) {
                sharedSecret = null;
            }
            if (sharedSecret != null && UNRESOLVED.matcher(sharedSecret).find()) {
                throw PropertyChecks.invalid(
                        "fabric.security.shared-secret",
                        "******",
                        "It holds a placeholder in ${...} that nothing resolves: set the environment variable or"
                                + " property that it names.");
            }
            if (sharedSecret != null && sharedSecret.length() < MIN_SECRET) {
                throw PropertyChecks.invalid(
                        "fabric.security.shared-secret", "******", "It must have at least 16 characters.");
            }
            PropertyChecks.positive("fabric.security.clock-skew", clockSkew);
            allowedPeers = List.copyOf(allowedPeers);
        }

        /** The same with a secret. */
        Security withSharedSecret(String secret) {
            return new Security(secret, allowPlaintext, mutualTls, allowedPeers, clockSkew);
        }

        /** Leaves out the secret. */
        @Override
        public String toString() {
            return "Security[sharedSecret=" + (sharedSecret == null ? "none" : "******") + ", allowPlaintext="
                    + allowPlaintext + ", mutualTls=" + mutualTls + ", allowedPeers=" + allowedPeers + ", clockSkew="
                    + clockSkew
                    + "]";
        }
    }

    /**
     * The software device.
     *
     * @param bindAddress Address to listen on.
     * @param port TCP port to listen on, 0 for any free one.
     * @param advertisedAddress Address that peers dial; needed when listening on all addresses. Not the address of the
     *     negotiation, which is the peers' business.
     */
    public record Soft(
            @DefaultValue("127.0.0.1") String bindAddress,
            @DefaultValue("0") int port,
            @Nullable String advertisedAddress) {

        public Soft {
            PropertyChecks.range("fabric.soft.port", port, 0, 65535);
            PropertyChecks.host("fabric.soft.bind-address", bindAddress);
            if (advertisedAddress != null) {
                PropertyChecks.host("fabric.soft.advertised-address", advertisedAddress);
            }
        }
    }
}
