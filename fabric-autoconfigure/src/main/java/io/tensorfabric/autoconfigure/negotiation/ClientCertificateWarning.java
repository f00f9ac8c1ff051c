package io.tensorfabric.autoconfigure.negotiation;

import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.env.Environment;

/**
 * Warns when callers have to show certificates that the web server does not ask them for: all of them would be refused. No
 * failure, since whoever sets up the web server by code need not use its property.
 */
final class ClientCertificateWarning implements SmartInitializingSingleton {

    static final String PROPERTY = "server.ssl.client-auth";

    private static final Logger logger = LoggerFactory.getLogger(ClientCertificateWarning.class);

    private final Environment environment;

    ClientCertificateWarning(Environment environment) {
        this.environment = environment;
    }

    @Override
    public void afterSingletonsInstantiated() {
        String value = environment.getProperty(PROPERTY, "none").strip().toLowerCase(Locale.ROOT);
        if (value.equals("none")) {
            logger.warn(
                    "'fabric.security.mutual-tls' is true, but '{}' is none, so the web server asks nobody for a"
                            + " certificate and no peer can connect to this node. Set '{}' to need or want, with"
                            + " 'server.ssl.bundle'; peers that this node connects to are not concerned",
                    PROPERTY,
                    PROPERTY);
        }
    }
}
