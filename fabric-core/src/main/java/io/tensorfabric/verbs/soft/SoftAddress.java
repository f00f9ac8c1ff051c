package io.tensorfabric.verbs.soft;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.HexFormat;

/**
 * Address of a queue pair: {@code soft:host:port:secret} with a literal IP address (IPv6 in brackets) and 64
 * hexadecimal digits.
 */
final class SoftAddress {

    /** Bytes of a secret. */
    static final int SECRET_LENGTH = 32;

    private static final String PREFIX = "soft:";

    private final InetSocketAddress endpoint;

    private final byte[] secret;

    SoftAddress(InetSocketAddress endpoint, byte[] secret) {
        this.endpoint = endpoint;
        this.secret = secret.clone();
    }

    /**
     * Reads an address.
     *
     * @throws IllegalArgumentException if it is malformed; the message does not repeat it, since it carries a secret
     */
    static SoftAddress parse(String text) {
        int beforeSecret = text.lastIndexOf(':');
        int beforePort = text.lastIndexOf(':', beforeSecret - 1);
        if (!text.startsWith(PREFIX) || beforePort < PREFIX.length()) {
            throw malformed();
        }
        String host = text.substring(PREFIX.length(), beforePort);
        boolean bracketed = host.startsWith("[") && host.endsWith("]");
        if (bracketed) {
            host = host.substring(1, host.length() - 1);
        } else if (host.indexOf(':') >= 0) {
            throw malformed();
        }
        byte[] secret = hex(text.substring(beforeSecret + 1));
        int port = port(text.substring(beforePort + 1, beforeSecret));
        return new SoftAddress(new InetSocketAddress(literal(host), port), secret);
    }

    private static byte[] hex(String digits) {
        byte[] secret;
        try {
            secret = HexFormat.of().parseHex(digits);
        } catch (IllegalArgumentException ex) {
            throw malformed();
        }
        if (secret.length != SECRET_LENGTH) {
            throw malformed();
        }
        return secret;
    }

    private static int port(String digits) {
        int port;
        try {
            port = Integer.parseInt(digits);
        } catch (NumberFormatException ex) {
            throw malformed();
        }
        if (port < 1 || port > 65535) {
            throw malformed();
        }
        return port;
    }

    /** A literal IP address; never asks the DNS. */
    static InetAddress literal(String host) {
        boolean ipv4 = host.matches("[0-9]{1,3}(\\.[0-9]{1,3}){3}");
        boolean ipv6 = host.indexOf(':') >= 0 && host.matches("[0-9a-fA-F:.]+(%[\\w.-]+)?");
        if (!ipv4 && !ipv6) {
            throw malformed();
        }
        try {
            return InetAddress.getByName(host);
        } catch (UnknownHostException ex) {
            throw malformed();
        }
    }

    private static IllegalArgumentException malformed() {
        return new IllegalArgumentException(
                "The provider address is not of the form soft:address:port:secret that QueuePair.providerAddress() gives");
    }

    InetSocketAddress endpoint() {
        return endpoint;
    }

    /** The secret itself, not a copy. */
    byte[] secret() {
        return secret;
    }

    /** The text form, secret included. */
    String format() {
        InetAddress address = endpoint.getAddress();
        String host = address.getHostAddress();
        String literal = address instanceof Inet6Address ? "[" + host + "]" : host;
        return PREFIX + literal + ":" + endpoint.getPort() + ":"
                + HexFormat.of().formatHex(secret);
    }

    /** Leaves out the secret. */
    @Override
    public String toString() {
        return "SoftAddress[" + endpoint + "]";
    }
}
