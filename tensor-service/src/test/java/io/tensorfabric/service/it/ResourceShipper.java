package io.tensorfabric.service.it;

import io.tensorfabric.annotation.TensorListener;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.tensor.safetensors.SafetensorsEntry;
import io.tensorfabric.tensor.safetensors.SafetensorsStreamReader;
import io.tensorfabric.tensor.safetensors.TensorSink;
import io.tensorfabric.transfer.ReceiptLevel;
import io.tensorfabric.transfer.ReceivedTensor;
import io.tensorfabric.transfer.TensorTransferService;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.Resource;

/**
 * An application whose tensors lie in resources of its class path: it ships those that its arguments name to another node of
 * the same process, which prints what it got.
 */
public final class ResourceShipper {

    private ResourceShipper() {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @TensorListener(names = "shipped/*")
        void onTensor(ReceivedTensor received) {
            CRC32C sum = new CRC32C();
            sum.update(received.tensor().asByteBuffer());
            System.out.println(
                    received.tensor().name() + " " + received.tensor().byteLength() + " " + sum.getValue());
        }
    }

    /** Ships resources. */
    public static void main(String[] locations) throws IOException {
        try (ConfigurableApplicationContext receiver = start(WebApplicationType.SERVLET, "receiver", "server.port=0")) {
            int port = ((ServletWebServerApplicationContext) receiver)
                    .getWebServer()
                    .getPort();
            try (ConfigurableApplicationContext sender =
                    start(WebApplicationType.NONE, "sender", "fabric.peers=receiver=http://127.0.0.1:" + port)) {
                for (String location : locations) {
                    ship(sender.getResource(location), sender.getBean(TensorTransferService.class));
                }
            }
        }
        System.out.println("shipped");
    }

    private static void ship(Resource resource, TensorTransferService transfers) throws IOException {
        try (InputStream in = resource.getInputStream()) {
            SafetensorsStreamReader.open(in, resource.contentLength()).readAll(new Shipment(transfers));
        }
    }

    /** Pushes each tensor as soon as it was read. */
    private static final class Shipment implements TensorSink {

        private final TensorTransferService transfers;

        private @Nullable Tensor current;

        Shipment(TensorTransferService transfers) {
            this.transfers = transfers;
        }

        @Override
        public long addressFor(SafetensorsEntry entry) {
            current = Tensor.allocate(entry.descriptor());
            return current.address();
        }

        @Override
        public void completed(SafetensorsEntry entry) {
            try (Tensor tensor = current == null ? Tensor.allocate(entry.descriptor()) : current) {
                current = null;
                transfers
                        .to("receiver")
                        .name("shipped/" + entry.name())
                        .receipt(ReceiptLevel.PROCESSED)
                        .pushAndWait(tensor);
            }
        }
    }

    private static ConfigurableApplicationContext start(WebApplicationType type, String id, String... properties) {
        return new SpringApplicationBuilder(Application.class)
                .web(type)
                .properties(
                        "spring.config.name=none",
                        "server.address=127.0.0.1",
                        "fabric.node-id=" + id,
                        "fabric.provider=soft",
                        "fabric.gpu.enabled=false",
                        "fabric.memory.host.slab-size=16MB",
                        "fabric.landing.zone-size=4MB")
                .properties(properties)
                .run();
    }
}
