package io.tensorfabric.autoconfigure.negotiation;

import io.tensorfabric.autoconfigure.FabricProperties;

/** Decides from where calls are taken at all, before anything of them is looked at. */
final class CallerPolicy {

    private final boolean secretSet;

    private final boolean mutualTls;

    private final boolean allowPlaintext;

    CallerPolicy(FabricProperties.Security security) {
        this.secretSet = security.sharedSecret() != null;
        this.mutualTls = security.mutualTls();
        this.allowPlaintext = security.allowPlaintext();
    }

    /** Refuses a caller that may not negotiate. */
    void check(Call call, RefusalLog log) {
        Call.Caller caller = call.caller();
        if (!call.header("Origin").isEmpty()) {
            throw new NegotiationProblem(403, "REFUSED", "The negotiation is not for web pages.");
        }
        if (caller.loopback()) {
            return;
        }
        if (!secretSet && !mutualTls) {
            log.refused(
                    "no-secret",
                    caller.address(),
                    "Without 'fabric.security.shared-secret' or 'fabric.security.mutual-tls' only this machine may"
                            + " negotiate, and through no proxy. Set the same secret on all nodes.");
            throw new NegotiationProblem(403, "REFUSED", "This node takes negotiations from its own machine only.");
        }
        if (!caller.secure() && !allowPlaintext) {
            log.refused(
                    "plaintext",
                    caller.address(),
                    "It came without TLS. Configure 'server.ssl.bundle' here and https in the peers' urls, or set"
                            + " 'fabric.security.allow-plaintext=true' if the network is trusted.");
            throw new NegotiationProblem(403, "REFUSED", "This node negotiates over TLS only.");
        }
    }
}
