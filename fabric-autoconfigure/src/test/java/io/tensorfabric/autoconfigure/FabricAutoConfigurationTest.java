package io.tensorfabric.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.micrometer.core.instrument.MeterRegistry;
import io.tensorfabric.autoconfigure.actuate.FabricEndpointAutoConfiguration;
import io.tensorfabric.autoconfigure.discovery.FabricDiscoveryAutoConfiguration;
import io.tensorfabric.autoconfigure.health.FabricHealthContributorAutoConfiguration;
import io.tensorfabric.autoconfigure.listener.FabricListenerAutoConfiguration;
import io.tensorfabric.autoconfigure.metrics.FabricMetricsAutoConfiguration;
import io.tensorfabric.autoconfigure.negotiation.FabricNegotiationClientAutoConfiguration;
import io.tensorfabric.autoconfigure.negotiation.FabricNegotiationServerAutoConfiguration;
import io.tensorfabric.autoconfigure.resilience.FabricResilienceAutoConfiguration;
import io.tensorfabric.autoconfigure.resilience.FabricResilienceMetricsAutoConfiguration;
import io.tensorfabric.connection.NegotiationClient;
import io.tensorfabric.connection.NegotiationHandler;
import io.tensorfabric.connection.NodeIdentity;
import io.tensorfabric.connection.PeerDirectory;
import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.memory.MemoryRegionPool;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.transfer.PeerResilience;
import io.tensorfabric.transfer.PublishOptions;
import io.tensorfabric.transfer.PublishedTensor;
import io.tensorfabric.transfer.RegionSpec;
import io.tensorfabric.transfer.TensorListenerRegistry;
import io.tensorfabric.transfer.TensorTransferService;
import io.tensorfabric.transfer.TransferException;
import io.tensorfabric.transfer.TransfersClosedException;
import io.tensorfabric.verbs.VerbsDevice;
import io.tensorfabric.verbs.VerbsProvider;
import io.tensorfabric.verbs.soft.SoftVerbsProvider;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.mockito.Mockito;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.SmartLifecycle;

class FabricAutoConfigurationTest {

    private static final AutoConfigurations ALL = AutoConfigurations.of(
            FabricAutoConfiguration.class,
            FabricDiscoveryAutoConfiguration.class,
            FabricEndpointAutoConfiguration.class,
            FabricHealthContributorAutoConfiguration.class,
            FabricListenerAutoConfiguration.class,
            FabricMetricsAutoConfiguration.class,
            FabricNegotiationClientAutoConfiguration.class,
            FabricNegotiationServerAutoConfiguration.class,
            FabricResilienceAutoConfiguration.class,
            FabricResilienceMetricsAutoConfiguration.class);

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(ALL)
            .withPropertyValues(
                    "fabric.provider=soft", "fabric.memory.host.slab-size=8MB", "fabric.memory.host.max-size=32MB");

    @Test
    void whenNothingElseIsConfiguredThenANodeRuns() {
        runner.run(context -> {
            assertThat(context)
                    .hasSingleBean(TensorTransferService.class)
                    .hasSingleBean(TensorListenerRegistry.class)
                    .hasSingleBean(NegotiationHandler.class)
                    .hasSingleBean(NegotiationClient.class)
                    .hasSingleBean(NodeIdentity.class)
                    .hasSingleBean(MemoryRegionPool.class)
                    .hasSingleBean(PeerResilience.class);
            FabricNode node = context.getBean(FabricLifecycle.class).requireNode();
            assertThat(node.providerName()).isEqualTo("soft");
            assertThat(node.warnings()).isEmpty();
            assertThat(context.getBean(NegotiationHandler.class).node().identity())
                    .isEqualTo(context.getBean(NodeIdentity.class));
        });
    }

    @Test
    void whenThePoolIsInjectedThenItWorksFromTheStartOn() {
        runner.withBean(PoolUser.class).run(context -> {
            assertThat(context.getBean(PoolUser.class).early).hasMessageContaining("not running");
            try (BufferLease lease = context.getBean(PoolUser.class).pool.acquire(1000, "test")) {
                assertThat(context.getBean(FabricLifecycle.class)
                                .requireNode()
                                .hostPool()
                                .regionOf(lease.address(), 1000))
                        .isNotNull();
            }
        });
    }

    static final class PoolUser {

        private final MemoryRegionPool pool;

        private final Throwable early;

        PoolUser(MemoryRegionPool pool) {
            this.pool = pool;
            this.early = catchThrowable(() -> pool.acquire(1, "too early"));
        }
    }

    @Test
    void whenDisabledThenNothingIsThere() {
        runner.withPropertyValues("fabric.enabled=false")
                .run(context -> assertThat(context)
                        .doesNotHaveBean(FabricLifecycle.class)
                        .doesNotHaveBean(FabricProperties.class)
                        .doesNotHaveBean(TensorTransferService.class)
                        .doesNotHaveBean(HealthIndicator.class));
    }

    @Test
    void whenNoNodeIdIsSetThenItBeginsWithTheApplicationsName() {
        runner.withPropertyValues("spring.application.name=my app/x")
                .run(context ->
                        assertThat(context.getBean(NodeIdentity.class).nodeId()).matches("my-app-x-[0-9a-f]{12}"));
        runner.withPropertyValues("fabric.node-id=node-7")
                .run(context ->
                        assertThat(context.getBean(NodeIdentity.class).nodeId()).isEqualTo("node-7"));
    }

    @Test
    void whenTheApplicationHasBeansOfItsOwnThenTheyAreUsed() {
        PeerDirectory directory = Mockito.mock(PeerDirectory.class);
        NegotiationClient client = Mockito.mock(NegotiationClient.class);
        TensorTransferService transfers = Mockito.mock(TensorTransferService.class);
        runner.withBean("directory", PeerDirectory.class, () -> directory)
                .withBean("client", NegotiationClient.class, () -> client)
                .withBean("transfers", TensorTransferService.class, () -> transfers)
                .withBean("identity", NodeIdentity.class, () -> new NodeIdentity("mine", "1"))
                .run(context -> {
                    assertThat(context.getBean(PeerDirectory.class)).isSameAs(directory);
                    assertThat(context.getBean(NegotiationClient.class)).isSameAs(client);
                    assertThat(context.getBean(TensorTransferService.class)).isSameAs(transfers);
                    assertThat(context.getBean(NegotiationHandler.class)
                                    .node()
                                    .identity()
                                    .nodeId())
                            .isEqualTo("mine");
                });
    }

    static final class CountingProvider implements VerbsProvider {

        private final VerbsProvider delegate = new SoftVerbsProvider();

        private final AtomicInteger asked = new AtomicInteger();

        @Override
        public String name() {
            return "soft";
        }

        @Override
        public boolean isAvailable() {
            return true;
        }

        @Override
        public @Nullable Throwable unavailabilityCause() {
            return null;
        }

        @Override
        public List<VerbsDevice> devices() {
            asked.incrementAndGet();
            return delegate.devices();
        }
    }

    /** Looks at the world just before the fabric starts. */
    static final class JustBefore implements SmartLifecycle {

        private final CountingProvider provider;

        private int askedBefore = -1;

        JustBefore(CountingProvider provider) {
            this.provider = provider;
        }

        @Override
        public void start() {
            askedBefore = provider.asked.get();
        }

        @Override
        public void stop() {}

        @Override
        public boolean isRunning() {
            return false;
        }

        @Override
        public int getPhase() {
            return FabricLifecycle.PHASE - 1;
        }
    }

    @Test
    void whenBeansAreMadeThenNoDeviceIsTouched() {
        runner.withBean(CountingProvider.class).withBean(JustBefore.class).run(context -> {
            assertThat(context.getBean(JustBefore.class).askedBefore).isZero();
            assertThat(context.getBean(CountingProvider.class).asked).hasPositiveValue();
            assertThat(context.getBean(FabricLifecycle.class).requireNode().providerReason())
                    .contains("provider of its own");
        });
        assertThat(FabricLifecycle.PHASE).isLessThan(Integer.MAX_VALUE - 2048);
    }

    @Test
    void whenStoppedAndStartedAgainThenItIsAnotherIncarnation() {
        runner.run(context -> {
            FabricLifecycle lifecycle = context.getBean(FabricLifecycle.class);
            String first = lifecycle.requireNode().connections().identity().incarnation();
            lifecycle.stop();
            assertThatThrownBy(lifecycle::requireNode).hasMessageContaining("not running");
            Tensor tensor = Tensor.copyOf("t", DataType.U8, Shape.of(1), new byte[1]);
            assertThatThrownBy(() -> context.getBean(TensorTransferService.class)
                            .push("peer", tensor)
                            .get(5, TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .cause()
                    .isInstanceOfSatisfying(
                            TransferException.class,
                            failure -> assertThat(failure.kind()).isEqualTo(TransferException.Kind.CLOSED));
            lifecycle.start();
            assertThat(lifecycle.requireNode().connections().identity().incarnation())
                    .isNotEqualTo(first);
            tensor.close();
        });
    }

    @Test
    void whenTheFabricIsStoppedThenWhatItPublishedIsClosedAndNothingMoreIs() {
        runner.run(context -> {
            FabricLifecycle lifecycle = context.getBean(FabricLifecycle.class);
            TensorTransferService transfers = context.getBean(TensorTransferService.class);
            try (Tensor tensor = Tensor.copyOf("t", DataType.U8, Shape.of(1), new byte[1])) {
                PublishedTensor published = transfers.publish(tensor, PublishOptions.readable());
                assertThat(transfers.published()).containsExactly(published);
                lifecycle.stop();
                assertThat(published.isOpen()).isFalse();
                assertThat(transfers.published()).isEmpty();
                assertThatThrownBy(() -> transfers.publish(tensor, PublishOptions.readable()))
                        .isInstanceOf(TransfersClosedException.class);
                RegionSpec spec = transfers.at("peer", "t");
                for (CompletableFuture<?> transfer : List.of(spec.pull(), spec.pull(tensor), spec.put(tensor))) {
                    assertThat(transfer)
                            .failsWithin(Duration.ofSeconds(5))
                            .withThrowableThat()
                            .withCauseInstanceOf(TransfersClosedException.class)
                            .withMessageContaining("not running");
                }
            }
        });
    }

    @Test
    void whenVerbsIsAskedForWithoutADeviceThenStartFailsAndIsExplained() {
        runner.withPropertyValues("fabric.provider=verbs").run(context -> {
            FailureAnalysis analysis = analyze(context.getStartupFailure());
            assertThat(analysis.getDescription()).contains("fabric.provider", "verbs");
            assertThat(analysis.getAction()).contains("rdma-core", "fabric.provider=soft");
        });
    }

    @Test
    void whenTheDeviceDoesNotExistThenStartFailsAndIsExplained() {
        runner.withPropertyValues("fabric.device=mlx5_9").run(context -> {
            FailureAnalysis analysis = analyze(context.getStartupFailure());
            assertThat(analysis.getDescription()).contains("mlx5_9", "soft0");
            assertThat(analysis.getAction()).contains("fabric.device");
        });
    }

    @Test
    void whenTheSoftDeviceListensEverywhereThenItNeedsAnAdvertisedAddress() {
        runner.withPropertyValues("fabric.soft.bind-address=0.0.0.0")
                .run(context -> assertThat(analyze(context.getStartupFailure()).getAction())
                        .contains("fabric.soft.advertised-address"));
    }

    @Test
    void whenLoopbackIsAdvertisedToRemotePeersThenThereIsAWarning() {
        runner.withPropertyValues("fabric.peers=ranker=https://ranker.example:8443,near=http://127.0.0.1:1")
                .run(context -> assertThat(context.getBean(FabricLifecycle.class)
                                .requireNode()
                                .warnings())
                        .singleElement()
                        .asString()
                        .contains("fabric.soft.advertised-address", "ranker")
                        .doesNotContain("near"));
    }

    private static FailureAnalysis analyze(@Nullable Throwable failure) {
        assertThat(failure).isNotNull();
        FailureAnalysis analysis = new FabricUnavailableFailureAnalyzer().analyze(failure);
        assertThat(analysis).isNotNull();
        return analysis;
    }

    @Test
    void whenThereIsNoWebServerThenNothingAnswersPeers() {
        runner.run(context -> assertThat(context).doesNotHaveBean(ServletRegistrationBean.class));
        new WebApplicationContextRunner()
                .withConfiguration(ALL)
                .withPropertyValues("fabric.provider=soft", "fabric.memory.host.slab-size=8MB")
                .run(context -> assertThat(context).hasBean("fabricNegotiationServlet"));
    }

    @Test
    void whenOptionalLibrariesAreAbsentThenTheNodeRunsWithoutWhatNeedsThem() {
        runner.withClassLoader(new FilteredClassLoader(
                        "io.micrometer",
                        "io.github.resilience4j.micrometer",
                        "org.springframework.boot.actuate",
                        "org.springframework.boot.health",
                        "jakarta.servlet"))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(FabricLifecycle.class).isRunning())
                            .isTrue();
                });
    }

    @Test
    void whenThereIsNoMeterRegistryThenThereAreNoMetrics() {
        runner.run(context -> assertThat(context).doesNotHaveBean("fabricMeterBinder"));
        runner.withBean(MeterRegistry.class, io.micrometer.core.instrument.simple.SimpleMeterRegistry::new)
                .run(context -> assertThat(context).hasBean("fabricMeterBinder").hasBean("fabricTransferMetrics"));
    }
}
