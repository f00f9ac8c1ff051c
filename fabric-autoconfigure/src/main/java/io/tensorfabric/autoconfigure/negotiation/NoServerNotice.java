package io.tensorfabric.autoconfigure.negotiation;

import io.tensorfabric.autoconfigure.discovery.PeerSources;
import io.tensorfabric.connection.PeerDirectory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Says what it means that no web server answers peers here. No failure: an application that only calls needs none, and peers
 * use the connections that it makes.
 */
final class NoServerNotice implements SmartInitializingSingleton {

    private static final Logger logger = LoggerFactory.getLogger(NoServerNotice.class);

    private final BeanFactory beans;

    private final ObjectProvider<PeerDirectory> peers;

    private final ObjectProvider<PeerSources> sources;

    NoServerNotice(BeanFactory beans, ObjectProvider<PeerDirectory> peers, ObjectProvider<PeerSources> sources) {
        this.beans = beans;
        this.peers = peers;
        this.sources = sources;
    }

    @Override
    public void afterSingletonsInstantiated() {
        boolean byHttp = beans.getBeanProvider(HttpNegotiationClient.class).stream()
                .findAny()
                .isPresent();
        if (!byHttp || beans.containsBean(FabricNegotiationServerAutoConfiguration.SERVLET)) {
            return;
        }
        boolean alone = peers.stream().allMatch(directory -> directory.peers().isEmpty())
                && sources.stream().allMatch(known -> known.statuses().isEmpty());
        if (alone) {
            logger.warn(
                    "No servlet web server answers peers here, and no peers are configured: nobody reaches this node,"
                            + " and it reaches nobody. Add spring-boot-starter-webmvc, or name peers in 'fabric.peers' or"
                            + " 'fabric.discovery'");
        } else {
            logger.info("No servlet web server answers peers here: this node connects to its peers, and they cannot"
                    + " connect to it");
        }
    }
}
