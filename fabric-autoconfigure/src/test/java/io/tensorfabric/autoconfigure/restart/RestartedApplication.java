package io.tensorfabric.autoconfigure.restart;

import io.tensorfabric.annotation.TensorListener;
import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.memory.MemoryRegionPool;
import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Floats;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.transfer.ReceiptLevel;
import io.tensorfabric.transfer.ReceivedTensor;
import io.tensorfabric.transfer.TensorTransferService;
import io.tensorfabric.verbs.VerbsProvider;
import java.util.ServiceLoader;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Two services, a push from one to the other, and both stopped again: what one life of an application does. */
public final class RestartedApplication {

    private static final String LOGGING_METERS =
            "org.springframework.boot.micrometer.metrics.autoconfigure.logging.logback.LogbackMetricsAutoConfiguration";

    private RestartedApplication() {}

    /** Runs it, and says what went wrong, or nothing. */
    public static String run() throws Exception {
        long before = OffHeap.allocatedBytes();
        // Loads the verbs shim, where the build has one.
        ServiceLoader.load(VerbsProvider.class).forEach(provider -> {
            if (!provider.isAvailable()) {
                System.out.println(provider.name() + " is not available");
            }
        });
        try (ConfigurableApplicationContext ranker = start("ranker");
                ConfigurableApplicationContext feeder = start(
                        "feeder",
                        "--fabric.peers[0].name=ranker",
                        "--fabric.peers[0].url=http://127.0.0.1:" + port(ranker))) {
            try (BufferLease lease = feeder.getBean(MemoryRegionPool.class).acquire(1 << 20, "restart")) {
                OffHeap.fill(lease.address(), lease.length(), (byte) 1);
            }
            try (Tensor tensor = Floats.tensor("life", DataType.F32, Shape.of(2), 4, 2)) {
                feeder.getBean(TensorTransferService.class)
                        .to("ranker")
                        .receipt(ReceiptLevel.PROCESSED)
                        .pushAndWait(tensor);
            }
            String received = ranker.getBean(Listener.class).values.poll(10, TimeUnit.SECONDS);
            if (!"4.0".equals(received)) {
                return "the listener received " + received;
            }
        }
        long left = OffHeap.allocatedBytes() - before;
        return left == 0 ? "" : left + " bytes outside the heap are left";
    }

    private static int port(ConfigurableApplicationContext context) {
        return ((ServletWebServerApplicationContext) context).getWebServer().getPort();
    }

    private static ConfigurableApplicationContext start(String name, String... more) {
        SpringApplication application = new SpringApplication(Application.class);
        // Spring's one hook of the process would keep the loader of the first application.
        application.setRegisterShutdownHook(false);
        String[] arguments = new String[more.length + 6];
        arguments[0] = "--fabric.node-id=" + name;
        arguments[1] = "--server.port=0";
        arguments[2] = "--server.address=127.0.0.1";
        arguments[3] = "--fabric.provider=soft";
        arguments[4] = "--fabric.memory.host.slab-size=16MB";
        // Micrometer's meters of the logging keep the registry for as long as the logging lives.
        arguments[5] = "--spring.autoconfigure.exclude=" + LOGGING_METERS;
        System.arraycopy(more, 0, arguments, 6, more.length);
        return application.run(arguments);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        Listener listener() {
            return new Listener();
        }
    }

    static class Listener {

        private final BlockingQueue<String> values = new LinkedBlockingQueue<>();

        @TensorListener(names = "life", concurrency = "1")
        void onTensor(ReceivedTensor received) {
            values.add(Float.toString(Floats.toFloats(received.tensor())[0]));
        }
    }
}
