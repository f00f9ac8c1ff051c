package io.tensorfabric.bench;

import io.tensorfabric.annotation.TensorListener;
import io.tensorfabric.autoconfigure.FabricAutoConfiguration;
import io.tensorfabric.autoconfigure.FabricLifecycle;
import io.tensorfabric.autoconfigure.discovery.FabricDiscoveryAutoConfiguration;
import io.tensorfabric.autoconfigure.listener.FabricListenerAutoConfiguration;
import io.tensorfabric.autoconfigure.negotiation.FabricNegotiationClientAutoConfiguration;
import io.tensorfabric.autoconfigure.resilience.FabricResilienceAutoConfiguration;
import io.tensorfabric.connection.Connection;
import io.tensorfabric.transfer.ReceivedTensor;
import io.tensorfabric.transfer.TensorTransferService;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.LifecycleProcessor;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.context.support.DefaultLifecycleProcessor;
import org.springframework.core.env.SimpleCommandLinePropertySource;

/**
 * A node that connects to the measured one and then has little to say. It has no web server and nothing else of an
 * application's but the fabric, since there are many of them in one process. Not thread-safe.
 */
final class IdlePeer {

    /** Name of the measured node. */
    static final String MEASURED = "measured";

    private static final ByteSize SMALL = new ByteSize(4096);

    private final ApplicationContext context;

    private final FabricLifecycle fabric;

    private IdlePeer(ApplicationContext context) {
        this.context = context;
        this.fabric = context.getBean(FabricLifecycle.class);
    }

    /** Id of one of the peers. */
    static String id(int number) {
        return "peer-" + number;
    }

    /** The part of the starter that it needs. No component, for which other nodes' applications look around here. */
    @ImportAutoConfiguration({
        FabricDiscoveryAutoConfiguration.class,
        FabricNegotiationClientAutoConfiguration.class,
        FabricResilienceAutoConfiguration.class,
        FabricAutoConfiguration.class,
        FabricListenerAutoConfiguration.class
    })
    static class Application {

        /** The fabric starts when it is to connect, and not with all the others. */
        @Bean(AbstractApplicationContext.LIFECYCLE_PROCESSOR_BEAN_NAME)
        LifecycleProcessor byHand() {
            return new DefaultLifecycleProcessor() {
                @Override
                public void onRefresh() {
                    // Nothing starts.
                }
            };
        }

        @TensorListener(names = "*")
        void received(ReceivedTensor tensor) {
            tensor.close();
        }
    }

    /** Makes one whose fabric does not run yet. */
    static IdlePeer prepare(int number, String url, ByteSize zone, List<String> more) {
        List<String> arguments = new ArrayList<>(List.of(
                "--spring.application.name=bench-peer",
                "--fabric.node-id=" + id(number),
                "--fabric.provider=soft",
                "--fabric.gpu.enabled=false",
                "--fabric.memory.host.slab-size=" + new ByteSize(Footprint.SMALLEST_SLAB),
                "--fabric.memory.host.max-size=" + new ByteSize((16L << 20) + 4 * zone.bytes()),
                "--fabric.landing.zone-size=" + zone,
                "--fabric.landing.max-dedicated-size=" + new ByteSize(1L << 20),
                "--fabric.peers[0].name=" + MEASURED,
                "--fabric.peers[0].url=" + url));
        arguments.addAll(more);
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.getEnvironment()
                .getPropertySources()
                .addFirst(new SimpleCommandLinePropertySource(arguments.toArray(String[]::new)));
        context.register(Application.class);
        context.refresh();
        return new IdlePeer(context);
    }

    /** Connects, if it is not, and pushes so many small tensors. */
    void connect(int pushes) throws Exception {
        if (fabric.isRunning()) {
            return;
        }
        fabric.start();
        Connection unused =
                fabric.requireNode().connections().connect(MEASURED).get(PushMeter.PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (pushes > 0) {
            TensorTransferService service = context.getBean(TensorTransferService.class);
            new PushMeter(service, BenchMemory.of(context), MEASURED).pushes(SMALL.bytes(), pushes);
        }
    }

    /** Closes its connection, and ends its fabric with all of its threads. */
    void end() {
        fabric.stop();
    }
}
