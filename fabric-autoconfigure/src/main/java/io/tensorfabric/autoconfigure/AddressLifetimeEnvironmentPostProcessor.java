package io.tensorfabric.autoconfigure;

import java.security.Security;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.env.ConfigurableEnvironment;

/**
 * Lets Java forget a host's address early enough that a peer which moved is reached again within half a minute. Java reads
 * the setting once, when it first looks a name up, so it is made before the application's context exists.
 *
 * @see <a href="https://docs.oracle.com/en/java/javase/17/docs/api/java.base/java/net/doc-files/net-properties.html">Networking
 *     Properties</a>, address cache
 */
final class AddressLifetimeEnvironmentPostProcessor implements EnvironmentPostProcessor {

    static final String PROPERTY = "fabric.connection.address-lifetime";

    static final String JAVA_SETTING = "networkaddress.cache.ttl";

    /** The older name of the setting, a system property, which Java reads when the other is absent. */
    static final String JAVA_FALLBACK = "sun.net.inetaddr.ttl";

    private final Function<String, @Nullable String> told;

    private final BiConsumer<String, String> tell;

    AddressLifetimeEnvironmentPostProcessor() {
        this(Security::getProperty, Security::setProperty);
    }

    /** With other security properties than Java's, which cannot be taken back. */
    AddressLifetimeEnvironmentPostProcessor(Function<String, @Nullable String> told, BiConsumer<String, String> tell) {
        this.told = told;
        this.tell = tell;
    }

    @Override
    public void postProcessEnvironment(ConfigurableEnvironment environment, SpringApplication application) {
        if (told.apply(JAVA_SETTING) != null || System.getProperty(JAVA_FALLBACK) != null) {
            return;
        }
        long seconds = lifetime(environment.getProperty(PROPERTY, ConnectionProperties.ADDRESS_LIFETIME))
                .toSeconds();
        if (seconds > 0) {
            tell.accept(JAVA_SETTING, Long.toString(seconds));
        }
    }

    /** Zero where the text is none: whoever binds the properties says so, with the property's name. */
    private static Duration lifetime(String text) {
        try {
            return DurationStyle.detectAndParse(text, ChronoUnit.SECONDS);
        } catch (IllegalArgumentException e) {
            return Duration.ZERO;
        }
    }
}
