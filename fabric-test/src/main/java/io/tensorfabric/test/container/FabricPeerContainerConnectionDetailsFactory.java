package io.tensorfabric.test.container;

import io.tensorfabric.autoconfigure.FabricConnectionDetails;
import io.tensorfabric.autoconfigure.FabricProperties;
import java.util.List;
import org.springframework.boot.testcontainers.service.connection.ContainerConnectionDetailsFactory;
import org.springframework.boot.testcontainers.service.connection.ContainerConnectionSource;

/** Tells an application of the peers in containers that are marked with {@code @ServiceConnection}. */
final class FabricPeerContainerConnectionDetailsFactory
        extends ContainerConnectionDetailsFactory<FabricPeerContainer, FabricConnectionDetails> {

    FabricPeerContainerConnectionDetailsFactory() {}

    @Override
    protected FabricConnectionDetails getContainerConnectionDetails(
            ContainerConnectionSource<FabricPeerContainer> source) {
        return new Details(source);
    }

    /** The container is asked when its answers are needed: only then it runs. */
    private static final class Details extends ContainerConnectionDetails<FabricPeerContainer>
            implements FabricConnectionDetails {

        private Details(ContainerConnectionSource<FabricPeerContainer> source) {
            super(source);
        }

        @Override
        public List<FabricProperties.Peer> peers() {
            FabricPeerContainer container = getContainer();
            return List.of(new FabricProperties.Peer(container.peerName(), container.url(), container.peerName()));
        }

        @Override
        public String sharedSecret() {
            return getContainer().sharedSecret();
        }

        @Override
        public String softAddress() {
            return getContainer().applicationAddress();
        }
    }
}
