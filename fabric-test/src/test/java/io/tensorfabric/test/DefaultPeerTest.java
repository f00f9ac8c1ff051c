package io.tensorfabric.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.transfer.TensorTransferService;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** An application that says nothing about the fabric. */
@SpringBootTest(properties = "fabric.landing.zone-size=1MB")
@AutoConfigureTestFabric
class DefaultPeerTest {

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    @Test
    void whenTheApplicationHasNoPeersThenThereIsOne(
            @Autowired FabricTestPeer peer, @Autowired TensorTransferService transfers) {
        assertThat(peer.name()).isEqualTo("test-peer");
        assertThat(peer.isRunning()).isTrue();
        assertThat(transfers.transfers()).isEmpty();
    }

    @Test
    void whenTheTestSetsAPropertyThenItIsNotOverwritten(@Autowired Environment environment) {
        assertThat(environment.getProperty("fabric.landing.zone-size")).isEqualTo("1MB");
        assertThat(environment.getProperty("fabric.memory.host.slab-size")).isEqualTo("16MB");
    }
}
