package io.tensorfabric.connection;

import io.tensorfabric.verbs.Gid;

/** Which family of GID suits a peer. */
public enum AddressFamily {
    /** Not known: IPv4 first, as most networks route it. */
    ANY,
    IPV4,
    IPV6;

    /** The family of a GID. */
    static AddressFamily of(Gid gid) {
        return gid.isIpv4Mapped() ? IPV4 : IPV6;
    }

    /** The family of a literal address in a URI; {@link #ANY} for names. */
    static AddressFamily ofHost(String host) {
        if (host.indexOf(':') >= 0) {
            return IPV6;
        }
        return host.matches("[0-9]{1,3}(\\.[0-9]{1,3}){3}") ? IPV4 : ANY;
    }

    boolean prefers(Gid gid) {
        return (this == IPV6) != gid.isIpv4Mapped();
    }
}
