package io.tensorfabric.autoconfigure;

import io.tensorfabric.connection.PeerAddress;
import java.net.URI;
import java.time.Duration;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.util.unit.DataSize;

/**
 * Refuses values of properties that bind but make no sense, naming the property. Binding alone takes negative sizes and
 * durations.
 */
final class PropertyChecks {

    /** Sizes of memory are at least a page. */
    static final DataSize PAGE = DataSize.ofBytes(4096);

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,127}");

    private PropertyChecks() {}

    static void atLeast(String property, DataSize value, DataSize least) {
        if (value.toBytes() < least.toBytes()) {
            throw invalid(property, value, "It must be at least " + least + ".");
        }
    }

    static void between(String property, DataSize value, DataSize least, DataSize most) {
        if (value.toBytes() < least.toBytes() || value.toBytes() > most.toBytes()) {
            throw invalid(property, value, "It must be from " + least + " to " + most + ".");
        }
    }

    /**
     * Makes options of the core, whose messages begin with the option's name.
     *
     * @param prefix property, or prefix of the properties, that the options come from
     */
    static <T> T checked(String prefix, Supplier<T> maker) {
        try {
            return maker.get();
        } catch (IllegalArgumentException ex) {
            throw invalid(named(prefix, String.valueOf(ex.getMessage())), null, ex.getMessage() + ".");
        }
    }

    private static String named(String prefix, String message) {
        String word = message.substring(0, Math.max(0, message.indexOf(' ')));
        if (!word.matches("[a-z]+([A-Z][a-z]*)*")) {
            return prefix;
        }
        return prefix + "." + word.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }

    static void range(String property, @Nullable Integer value, int least, int most) {
        if (value != null && (value < least || value > most)) {
            throw invalid(property, value, "It must be from " + least + " to " + most + ".");
        }
    }

    static void positive(String property, Duration value) {
        if (value.isNegative() || value.isZero()) {
            throw invalid(property, value, "It must be longer than zero.");
        }
        bounded(property, value);
    }

    static void notNegative(String property, Duration value) {
        if (value.isNegative()) {
            throw invalid(property, value, "It must not be negative.");
        }
        bounded(property, value);
    }

    private static void bounded(String property, Duration value) {
        if (value.compareTo(Duration.ofDays(365)) > 0) {
            throw invalid(property, value, "It must be at most 365 days.");
        }
    }

    static void name(String property, @Nullable String value) {
        if (value == null || !NAME.matcher(value).matches()) {
            throw invalid(
                    property,
                    value,
                    "It must be 1 to 128 letters, digits, dots, dashes or underscores, no dash first.");
        }
    }

    static void require(String property, @Nullable Object value, boolean valid, String reason) {
        if (!valid) {
            throw invalid(property, value, reason);
        }
    }

    static void host(String property, String value) {
        try {
            boolean portless = PeerAddress.parse(value, 1).port()
                    != PeerAddress.parse(value, 2).port();
            require(property, value, portless, "It must be an address without a port.");
        } catch (IllegalArgumentException ex) {
            throw invalid(property, value, ex.getMessage() + ".");
        }
    }

    static void httpUri(String property, URI value) {
        String scheme = value.getScheme();
        boolean http = "http".equalsIgnoreCase(scheme) || "https".equalsIgnoreCase(scheme);
        require(property, value, http, "It must begin with http:// or https://.");
        require(
                property,
                value.getHost(),
                value.getHost() != null && value.getRawUserInfo() == null,
                "It must have a host and no credentials.");
        require(
                property,
                value,
                value.getRawQuery() == null && value.getRawFragment() == null,
                "It must have no query and no fragment.");
    }

    static InvalidConfigurationPropertyValueException invalid(String property, @Nullable Object value, String reason) {
        return new InvalidConfigurationPropertyValueException(property, value, reason);
    }
}
