package io.tensorfabric.autoconfigure.actuate;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;

/**
 * Hides the shared secret from the env and configprops endpoints even where values are shown: under its own name in any
 * spelling, and in any value that holds it, such as a command line or SPRING_APPLICATION_JSON.
 */
final class SecretSanitizingFunction implements SanitizingFunction {

    private static final String PROPERTY = "fabricsecuritysharedsecret";

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
        boolean named =
                data.getKey().toLowerCase(Locale.ROOT).replaceAll("[^a-z]", "").endsWith(PROPERTY);
        boolean holds = secret != null && value.toString().contains(secret);
        return named || holds ? data.withSanitizedValue() : data;
    }
}
