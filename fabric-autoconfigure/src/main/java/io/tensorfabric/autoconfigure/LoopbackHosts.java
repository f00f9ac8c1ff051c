package io.tensorfabric.autoconfigure;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Tells hosts that are this machine by their own word; no name is ever resolved for it. For this module only. */
public final class LoopbackHosts {

    private static final Pattern IPV4 = Pattern.compile("127\\.[0-9]{1,3}\\.[0-9]{1,3}\\.[0-9]{1,3}");

    private static final Pattern MAPPED =
            Pattern.compile("(0:0:0:0:0|:):ffff:127\\.[0-9]{1,3}\\.[0-9]{1,3}\\.[0-9]{1,3}", Pattern.CASE_INSENSITIVE);

    private LoopbackHosts() {}

    /** Whether a literal, perhaps in brackets or with a zone, or {@code localhost} is this machine. */
    public static boolean contains(@Nullable String host) {
        if (host == null) {
            return false;
        }
        String plain = host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
        int zone = plain.indexOf('%');
        String literal = zone < 0 ? plain : plain.substring(0, zone);
        return literal.equalsIgnoreCase("localhost")
                || literal.equals("::1")
                || literal.equals("0:0:0:0:0:0:0:1")
                || IPV4.matcher(literal).matches()
                || MAPPED.matcher(literal).matches();
    }
}
