package io.tensorfabric.test.container;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.testcontainers.containers.ContainerState;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;

/**
 * A peer of the application under test, in a container: any image of a service with the starter that listens on port 8080, such
 * as the reference service. With {@code @ServiceConnection} the application gets it as a peer, with the secret and an address
 * that the container can dial; no property is needed.
 *
 * <p>The software device of the container dials that of the application, so both have to be in reach of each other by
 * address: the engine runs on this machine, and the machine has the address of the container's gateway, as on Linux. Elsewhere
 * say by {@link #withApplicationAddress} how the container reaches the application.
 */
public class FabricPeerContainer extends GenericContainer<FabricPeerContainer> {

    /** Port of the service in the container. */
    public static final int PORT = 8080;

    /** Of this process, so that all containers of a test suite have the same. */
    private static final String SECRET = Base64.getUrlEncoder()
            .withoutPadding()
            .encodeToString((UUID.randomUUID() + "" + UUID.randomUUID()).getBytes(StandardCharsets.US_ASCII));

    private static final Duration START_TIMEOUT = Duration.ofMinutes(3);

    private final String peerName;

    private @Nullable String applicationAddress;

    /** A peer called {@code peer}. */
    public FabricPeerContainer(DockerImageName image) {
        this(image, "peer");
    }

    /**
     * A peer.
     *
     * @param image a service with the starter
     * @param peerName name by which the application pushes to it, its node id and its host name
     */
    public FabricPeerContainer(DockerImageName image, String peerName) {
        super(image);
        this.peerName = peerName;
        addExposedPort(PORT);
        withEnv("FABRIC_PROVIDER", "soft");
        withEnv("FABRIC_NODE_ID", peerName);
        withEnv("FABRIC_SECURITY_SHARED_SECRET", SECRET);
        // The application calls from the gateway's address, and no certificate is there.
        withEnv("FABRIC_SECURITY_ALLOW_PLAINTEXT", "true");
        // The container's own address, whatever it gets, stands beside its name in /etc/hosts.
        withEnv("FABRIC_SOFT_BIND_ADDRESS", peerName);
        withCreateContainerCmdModifier(command -> command.withHostName(peerName));
        waitingFor(Wait.forHttp("/actuator/health/readiness").forPort(PORT).withStartupTimeout(START_TIMEOUT));
    }

    /** How the container reaches the application under test, where that is not the gateway of its network. */
    public FabricPeerContainer withApplicationAddress(String address) {
        applicationAddress = address;
        return this;
    }

    /** Name by which the application pushes to it. */
    public String peerName() {
        return peerName;
    }

    /** Where the application reaches its negotiation; once it runs. */
    public String url() {
        return "http://" + getHost() + ":" + getMappedPort(PORT);
    }

    /** The secret that it shares with the application. */
    public String sharedSecret() {
        return SECRET;
    }

    /**
     * Address of this machine that the container can dial; once it runs.
     *
     * @throws IllegalStateException if its network has no gateway
     */
    public String applicationAddress() {
        String configured = applicationAddress;
        return configured != null ? configured : gateway(this);
    }

    private static String gateway(ContainerState container) {
        return container.getContainerInfo().getNetworkSettings().getNetworks().values().stream()
                .map(network -> String.valueOf(network.getGateway()))
                .filter(gateway -> !gateway.equals("null") && !gateway.isBlank())
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("Container " + container.getContainerId()
                        + " has no gateway: say by withApplicationAddress how it reaches this machine"));
    }
}
