package io.tensorfabric.autoconfigure;

import io.tensorfabric.connection.PeerAddress;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.origin.OriginLookup;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.PropertySource;

/**
 * Stops the start where peers are written as a map: of a key such as {@code 10.0.0.5:8080} binding would leave
 * {@code 10.0.0.58080}, and keys in the environment it would pass over. Says how it is written instead.
 */
final class PeerKeysCheck implements BeanFactoryPostProcessor {

    private static final Pattern BELOW_PEERS = Pattern.compile("(?i)fabric[._]peers[._\\[](.+)");

    private static final Pattern LIST_ENTRY =
            Pattern.compile("(?i)fabric\\.peers\\[\\d+](\\..+)?|fabric_peers_\\d+(_.+)?");

    private static final Pattern FIELD = Pattern.compile("(?i)[]._]+(name|url|node-?_?id)$");

    private final Environment environment;

    PeerKeysCheck(Environment environment) {
        this.environment = environment;
    }

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
        if (environment instanceof ConfigurableEnvironment configurable) {
            for (PropertySource<?> source : configurable.getPropertySources()) {
                if (source instanceof EnumerablePropertySource<?> enumerable) {
                    check(enumerable);
                }
            }
        }
    }

    private static void check(EnumerablePropertySource<?> source) {
        for (String property : source.getPropertyNames()) {
            Matcher below = BELOW_PEERS.matcher(property);
            if (below.matches() && !LIST_ENTRY.matcher(property).matches()) {
                throw refusal(property, below.group(1), OriginLookup.getOrigin(source, property));
            }
        }
    }

    private static FabricUnavailableException refusal(String property, String rest, @Nullable Origin origin) {
        String key = FIELD.matcher(rest).replaceFirst("").replaceAll("]$", "");
        boolean address = isAddress(key);
        return new FabricUnavailableException(
                "'" + property + "'" + (origin == null ? "" : " (" + origin + ")")
                        + " names a peer by a key, and 'fabric.peers' is a list: of keys binding keeps only letters, digits and"
                        + " dashes.",
                "Write 'fabric.peers[0].name=" + (address ? "NAME" : key) + "' and 'fabric.peers[0].url="
                        + (address ? key : "https://HOST:PORT")
                        + "' (in YAML a list of entries with name and url), or 'fabric.peers=NAME=URL,NAME=URL'. In the"
                        + " environment that is FABRIC_PEERS_0_NAME and FABRIC_PEERS_0_URL, or FABRIC_PEERS.",
                null);
    }

    private static boolean isAddress(String key) {
        if (!key.contains(":")) {
            return false;
        }
        try {
            PeerAddress.parse(key, PeerUris.DEFAULT_PORT);
            return true;
        } catch (IllegalArgumentException ex) {
            return false;
        }
    }
}
