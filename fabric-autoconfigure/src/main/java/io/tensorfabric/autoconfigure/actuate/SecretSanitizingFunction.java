package io.tensorfabric.autoconfigure.actuate;

import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;

/**
 * Hides the shared secret from the env and configprops endpoints even where values are shown: under its own name in any
 * spelling, and in any value that holds it, such as a command line or SPRING_APPLICATION_JSON. Hides what opens the keys of
 * TLS too, which may be all that proves who this node is.
 */
final class SecretSanitizingFunction implements SanitizingFunction {

    private static final String PROPERTY = "fabricsecuritysharedsecret";

    /** Passwords and inline private keys of TLS, without dots and dashes. */
    private static final Pattern TLS =
            Pattern.compile("(springsslbundle|serverssl|managementserverssl).*(password|privatekey)");

    private final @Nullable String secret;

    SecretSanitizingFunction(@Nullable String secret) {
        this.secret = secret;
    }

    @Override
    public SanitizableData apply(SanitizableData data) {
        Object value = data.getValue();
        if (value == null) {
            return data;
        }
        String name = data.getKey().toLowerCase(Locale.ROOT).replaceAll("[^a-z]", "");
        boolean named = name.endsWith(PROPERTY) || TLS.matcher(name).matches();
        boolean holds = secret != null && value.toString().contains(secret);
        return named || holds ? data.withSanitizedValue() : data;
    }
}
