package io.tensorfabric.autoconfigure.discovery;

import io.tensorfabric.connection.PeerAddress;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Hashtable;
import java.util.List;
import javax.naming.Context;
import javax.naming.NameNotFoundException;
import javax.naming.NamingEnumeration;
import javax.naming.NamingException;
import javax.naming.NoInitialContextException;
import javax.naming.directory.Attribute;
import javax.naming.directory.DirContext;
import javax.naming.directory.InitialDirContext;
import org.jspecify.annotations.Nullable;

/**
 * Asks DNS servers with the JDK's own client, past the cache of addresses that every JVM has. What the servers do not know
 * may still be in this machine's files.
 */
final class JndiDnsLookup implements DnsLookup {

    private static final String FACTORY = "com.sun.jndi.dns.DnsContextFactory";

    private static final int TRIES = 2;

    /** The second try waits twice as long as the first one. */
    private static final int PARTS = 3;

    @SuppressWarnings("JdkObsolete") // what the constructor of a context takes
    private final Hashtable<String, String> environment = new Hashtable<>();

    private final boolean ownServer;

    private final SearchDomains domains;

    /**
     * Makes a client.
     *
     * @param server server to ask, or {@code null} for those of this machine
     * @param timeout longest time for one question
     * @param domains completes names
     */
    JndiDnsLookup(@Nullable PeerAddress server, Duration timeout, SearchDomains domains) {
        this.ownServer = server == null;
        this.domains = domains;
        environment.put(Context.INITIAL_CONTEXT_FACTORY, FACTORY);
        environment.put(Context.PROVIDER_URL, server == null ? "dns:" : "dns://" + server);
        environment.put("com.sun.jndi.dns.timeout.initial", Long.toString(Math.max(1, timeout.toMillis() / PARTS)));
        environment.put("com.sun.jndi.dns.timeout.retries", Integer.toString(TRIES));
    }

    @Override
    public List<InetAddress> addresses(String name) throws IOException {
        for (String candidate : domains.candidates(name)) {
            List<InetAddress> found = new ArrayList<>();
            for (String type : List.of("A", "AAAA")) {
                for (String literal : records(candidate, type)) {
                    found.add(InetAddress.getByName(literal));
                }
            }
            if (!found.isEmpty()) {
                return found;
            }
        }
        return ownServer ? fromThisMachine(name) : List.of();
    }

    private static List<InetAddress> fromThisMachine(String name) {
        try {
            return List.of(InetAddress.getAllByName(name));
        } catch (UnknownHostException ex) {
            return List.of();
        }
    }

    @Override
    public List<ServiceRecord> services(String name) throws IOException {
        for (String candidate : domains.candidates(name)) {
            List<ServiceRecord> found = new ArrayList<>();
            for (String text : records(candidate, "SRV")) {
                found.add(service(candidate, text));
            }
            if (!found.isEmpty()) {
                return found;
            }
        }
        return List.of();
    }

    /** Priority, weight, port, target. */
    private static ServiceRecord service(String name, String text) throws IOException {
        String[] parts = text.strip().split("\\s+", -1);
        if (parts.length != 4 || !parts[2].matches("[0-9]{1,5}") || Integer.parseInt(parts[2]) > 65_535) {
            throw new IOException("An SRV record of " + name + " makes no sense");
        }
        String target = parts[3];
        return new ServiceRecord(
                target.endsWith(".") ? target.substring(0, target.length() - 1) : target, Integer.parseInt(parts[2]));
    }

    @SuppressWarnings(
            "BanJNDI") // The context is that of DNS alone, whose attributes are text; nothing is looked up in it.
    private List<String> records(String name, String type) throws IOException {
        DirContext context = null;
        try {
            context = new InitialDirContext(environment);
            Attribute attribute =
                    context.getAttributes(name, new String[] {type}).get(type);
            List<String> values = new ArrayList<>();
            if (attribute != null) {
                NamingEnumeration<?> all = attribute.getAll();
                while (all.hasMore()) {
                    values.add(String.valueOf(all.next()));
                }
            }
            return values;
        } catch (NameNotFoundException ex) {
            return List.of();
        } catch (NoInitialContextException ex) {
            throw new IOException("This Java runtime has no DNS client: add the module jdk.naming.dns to it", ex);
        } catch (NamingException ex) {
            throw new IOException(
                    "The DNS does not answer for " + name + " (" + type + "): " + ex.getMessage()
                            + ". Look at the name servers of this machine, or at 'fabric.discovery.dns-server'",
                    ex);
        } finally {
            close(context);
        }
    }

    private static void close(@Nullable DirContext context) throws IOException {
        if (context != null) {
            try {
                context.close();
            } catch (NamingException ex) {
                throw new IOException("The DNS client does not close: " + ex.getMessage(), ex);
            }
        }
    }
}
