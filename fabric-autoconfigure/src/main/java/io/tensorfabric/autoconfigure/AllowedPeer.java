package io.tensorfabric.autoconfigure;

import io.tensorfabric.connection.PeerRight;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Nodes that may connect, and what they may do here.
 *
 * @param node Node id, or a pattern in which a star stands for any text, such as "ranker-*".
 * @param certificate With mutual TLS the name that such a node's certificate must hold: a DNS name or URI among its
 *     alternative names, or its common name. Without it the node id itself.
 * @param rights What these nodes may do here: "push", "publish", "pull". Everything unless set.
 */
public record AllowedPeer(
        String node,
        @Nullable String certificate,
        @DefaultValue({"push", "publish", "pull"}) Set<PeerRight> rights) {

    private static final String PREFIX = "fabric.security.allowed-peers[]";

    private static final Pattern NODE = Pattern.compile("[A-Za-z0-9._:@/*-]{1,253}");

    public AllowedPeer {
        PropertyChecks.require(
                PREFIX + ".node",
                node,
                node != null && NODE.matcher(node).matches(),
                "It must be a node id, in which a star stands for any text.");
        PropertyChecks.require(PREFIX + ".rights", rights, !rights.isEmpty(), "It must hold at least one right.");
        PropertyChecks.require(
                PREFIX + ".certificate",
                certificate,
                certificate == null || !certificate.isBlank(),
                "It must be a name, or be left out.");
        rights = Set.copyOf(rights);
    }

    /** Whether this is about a node. */
    boolean covers(String nodeId) {
        return matches(node, nodeId);
    }

    /** Compares without backtracking into exponential time, however many stars there are. */
    private static boolean matches(String pattern, String text) {
        int at = 0;
        int next = 0;
        int star = -1;
        int mark = 0;
        while (at < text.length()) {
            if (next < pattern.length() && pattern.charAt(next) == '*') {
                star = next++;
                mark = at;
            } else if (next < pattern.length() && pattern.charAt(next) == text.charAt(at)) {
                next++;
                at++;
            } else if (star >= 0) {
                next = star + 1;
                at = ++mark;
            } else {
                return false;
            }
        }
        while (next < pattern.length() && pattern.charAt(next) == '*') {
            next++;
        }
        return next == pattern.length();
    }
}
