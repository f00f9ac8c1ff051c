package io.tensorfabric.autoconfigure.negotiation;

import io.tensorfabric.autoconfigure.LoopbackHosts;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.http.HttpServletRequest;
import java.security.cert.X509Certificate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds out where a request comes from. A forwarded request never counts as local: forwarding headers are the caller's own
 * words, and a proxy on this machine speaks for strangers.
 */
final class CallerInspector {

    /** Set by Tomcat's RemoteIpValve and RemoteIpFilter when they replaced the remote address. */
    private static final String TOMCAT_FORWARDED = "org.apache.tomcat.request.forwarded";

    /** Set by web servers for calls with a verified client certificate. */
    private static final String CERTIFICATES = "jakarta.servlet.request.X509Certificate";

    private static final List<String> FORWARDING_HEADERS =
            List.of("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP", "Via");

    private CallerInspector() {}

    static Call.Caller inspect(HttpServletRequest request) {
        HttpServletRequest raw = unwrap(request);
        boolean loopback = LoopbackHosts.contains(raw.getRemoteAddr()) && !isForwarded(request) && !isForwarded(raw);
        return new Call.Caller(String.valueOf(raw.getRemoteAddr()), loopback, request.isSecure(), certificate(request));
    }

    /** The first certificate is the caller's own. */
    private static @Nullable X509Certificate certificate(HttpServletRequest request) {
        return request.getAttribute(CERTIFICATES) instanceof X509Certificate[] chain && chain.length > 0
                ? chain[0]
                : null;
    }

    private static HttpServletRequest unwrap(HttpServletRequest request) {
        ServletRequest current = request;
        while (current instanceof ServletRequestWrapper wrapper) {
            current = wrapper.getRequest();
        }
        return current instanceof HttpServletRequest raw ? raw : request;
    }

    private static boolean isForwarded(HttpServletRequest request) {
        return request.getAttribute(TOMCAT_FORWARDED) != null
                || FORWARDING_HEADERS.stream().anyMatch(name -> request.getHeader(name) != null);
    }
}
