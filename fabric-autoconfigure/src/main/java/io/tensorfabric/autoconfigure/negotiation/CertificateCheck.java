package io.tensorfabric.autoconfigure.negotiation;

import io.tensorfabric.autoconfigure.PropertiesPeerPolicy;
import java.security.cert.CertificateException;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;

/**
 * With mutual TLS, checks that a caller's certificate speaks for the node that it says it is. That the certificate is
 * trusted at all was the web server's business. Thread-safe.
 */
final class CertificateCheck {

    private static final int DNS_NAME = 2;

    private static final int URI = 6;

    private final PropertiesPeerPolicy policy;

    CertificateCheck(PropertiesPeerPolicy policy) {
        this.policy = policy;
    }

    /** Refuses a caller whose certificate is missing, out of date, or another node's. */
    void verify(Call call, RefusalLog log) {
        X509Certificate certificate = call.caller().certificate();
        if (certificate == null) {
            log.refused(
                    "no-certificate",
                    call.caller().address(),
                    "It showed no client certificate, which 'fabric.security.mutual-tls' asks for. Set"
                            + " 'server.ssl.client-auth=need' here, and an SSL bundle with a key in"
                            + " 'fabric.negotiation.ssl.bundle' there.");
            throw new NegotiationProblem(401, "CERTIFICATE", "This node asks for a client certificate.");
        }
        String node = call.header(NegotiationHeaders.NODE);
        if (!isValid(certificate) || !names(certificate).contains(policy.certificateOf(node))) {
            log.refused(
                    "other-certificate",
                    call.caller().address(),
                    "Its certificate does not speak for node '" + ProblemDetails.printable(node)
                            + "'. Put the node id among its alternative names, or the name that it has into"
                            + " 'fabric.security.allowed-peers'.");
            throw new NegotiationProblem(
                    403, "REFUSED", "The client certificate does not speak for the node that the call names.");
        }
    }

    private static boolean isValid(X509Certificate certificate) {
        try {
            certificate.checkValidity();
            return true;
        } catch (CertificateException ex) {
            return false;
        }
    }

    /** DNS names and URIs; the common name when there are none. */
    static Set<String> names(X509Certificate certificate) {
        Set<String> names = new HashSet<>();
        try {
            Collection<List<?>> alternatives = certificate.getSubjectAlternativeNames();
            for (List<?> each : alternatives == null ? List.<List<?>>of() : alternatives) {
                if (each.get(0) instanceof Integer type
                        && (type == DNS_NAME || type == URI)
                        && each.get(1) instanceof String name) {
                    names.add(name);
                }
            }
            if (names.isEmpty()) {
                addCommonName(certificate, names);
            }
        } catch (CertificateParsingException | InvalidNameException ex) {
            names.clear();
        }
        return names;
    }

    private static void addCommonName(X509Certificate certificate, Set<String> names) throws InvalidNameException {
        for (Rdn rdn : new LdapName(certificate.getSubjectX500Principal().getName()).getRdns()) {
            if (rdn.getType().equalsIgnoreCase("CN") && rdn.getValue() instanceof String name) {
                names.add(name);
            }
        }
    }
}
