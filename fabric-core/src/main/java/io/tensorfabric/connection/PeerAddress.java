package io.tensorfabric.connection;

import java.util.regex.Pattern;

/**
 * Host and port of a peer.
 *
 * @param host name or literal address; IPv6 without brackets, with its zone if it has one
 * @param port port, 1 to 65535
 */
public record PeerAddress(String host, int port) {

    private static final Pattern HOST_NAME = Pattern.compile("[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_.])?");

    /** RFC 4007: what follows the percent sign names an interface. */
    private static final Pattern IPV6 = Pattern.compile("[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*(%[A-Za-z0-9_.-]+)?");

    /** Checks the range of the port. */
    public PeerAddress {
        if (port < 1 || port > 65_535) {
            throw new IllegalArgumentException("A port is from 1 to 65535, not " + port);
        }
    }

    /**
     * Reads {@code host}, {@code host:port}, {@code [ipv6]}, {@code [ipv6]:port} or a bare IPv6 address.
     *
     * @param text what to read
     * @param defaultPort port when the text has none
     * @throws IllegalArgumentException if it is none of those, naming the text and what is wrong
     */
    public static PeerAddress parse(String text, int defaultPort) {
        if (text.isEmpty()) {
            throw bad(text, "it is empty");
        }
        if (text.charAt(0) == '[') {
            return parseBracketed(text, defaultPort);
        }
        int colon = text.indexOf(':');
        if (colon < 0) {
            return new PeerAddress(hostName(text, text), defaultPort);
        }
        if (colon != text.lastIndexOf(':')) {
            return new PeerAddress(ipv6(text, text), defaultPort);
        }
        return new PeerAddress(hostName(text, text.substring(0, colon)), port(text, text.substring(colon + 1)));
    }

    private static PeerAddress parseBracketed(String text, int defaultPort) {
        int end = text.indexOf(']');
        if (end < 0) {
            throw bad(text, "the bracket is not closed");
        }
        String host = ipv6(text, text.substring(1, end));
        String rest = text.substring(end + 1);
        if (rest.isEmpty()) {
            return new PeerAddress(host, defaultPort);
        }
        if (rest.charAt(0) != ':') {
            throw bad(text, "after the bracket only ':' and a port may follow");
        }
        return new PeerAddress(host, port(text, rest.substring(1)));
    }

    private static String ipv6(String text, String host) {
        if (!IPV6.matcher(host).matches()) {
            throw bad(text, "'" + host + "' is not an IPv6 address; with a port it stands in brackets");
        }
        return host;
    }

    private static String hostName(String text, String host) {
        if (!HOST_NAME.matcher(host).matches()) {
            throw bad(text, "'" + host + "' is not a host name or address");
        }
        return host;
    }

    private static int port(String text, String digits) {
        if (!digits.matches("[0-9]{1,5}")) {
            throw bad(text, "'" + digits + "' is not a port");
        }
        int port = Integer.parseInt(digits);
        if (port < 1 || port > 65_535) {
            throw bad(text, "a port is from 1 to 65535, not " + port);
        }
        return port;
    }

    private static IllegalArgumentException bad(String text, String why) {
        return new IllegalArgumentException(
                "Not a peer address: '" + text + "': " + why + ". Write host, host:port, [ipv6] or [ipv6]:port");
    }

    /** The form that {@link #parse} reads back, IPv6 in brackets. */
    @Override
    public String toString() {
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }
}
