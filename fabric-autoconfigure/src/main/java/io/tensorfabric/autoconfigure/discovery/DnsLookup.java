package io.tensorfabric.autoconfigure.discovery;

import java.io.IOException;
import java.net.InetAddress;
import java.util.List;

/**
 * Asks the DNS, anew for each call: nothing is cached, not even what does not exist. A bean of this type replaces the one that
 * asks real servers. Thread-safe.
 */
public interface DnsLookup {

    /**
     * The addresses of a name, none if it does not exist.
     *
     * @throws IOException if no server answered in time
     */
    List<InetAddress> addresses(String name) throws IOException;

    /**
     * The SRV records of a name such as {@code _https._tcp.rankers.example}, none if it does not exist.
     *
     * @throws IOException if no server answered in time
     */
    List<ServiceRecord> services(String name) throws IOException;

    /**
     * A member of a service.
     *
     * @param target its name, without the final dot
     * @param port its port
     */
    record ServiceRecord(String target, int port) {}
}
