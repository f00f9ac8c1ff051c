package io.tensorfabric.autoconfigure.discovery;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import org.springframework.core.env.Environment;

/** Tells this node's own web server among addresses. Thread-safe. */
final class OwnAddresses {

    private static final int DEFAULT_PORT = 8080;

    private final Environment environment;

    OwnAddresses(Environment environment) {
        this.environment = environment;
    }

    /** Whether an address and port are this node's own. Several nodes may share a machine, each with a port of its own. */
    boolean contains(InetAddress address, int port) throws IOException {
        return port == port()
                && (address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null)
                && isBound(address);
    }

    /** A server that listens on one address only is not at the others. */
    private boolean isBound(InetAddress address) throws IOException {
        String bound = environment.getProperty("server.address", "");
        if (bound.isEmpty()) {
            return true;
        }
        InetAddress only = InetAddress.getByName(bound);
        return only.isAnyLocalAddress() || only.equals(address);
    }

    private int port() {
        Integer configured = environment.getProperty("server.port", Integer.class, DEFAULT_PORT);
        return environment.getProperty("local.server.port", Integer.class, configured);
    }
}
