package io.tensorfabric.service.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorfabric.service.TensorServiceApplication;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.transfer.PublishOptions;
import io.tensorfabric.transfer.PublishedTensor;
import io.tensorfabric.transfer.PutEvent;
import io.tensorfabric.transfer.TensorNotPublishedException;
import io.tensorfabric.transfer.TensorTransferService;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Two applications, one reading and writing in place what the other publishes: on the software device, and over libibverbs
 * in the Soft-RoCE guest.
 */
@Timeout(300)
class PublishedTensorIT {

    private static final int BYTES = 9_000_001;

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static ConfigurableApplicationContext start(String name, String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                "--fabric.node-id=" + name,
                "--spring.main.banner-mode=off",
                "--server.address=127.0.0.1",
                "--server.port=0",
                "--fabric.security.shared-secret=" + ServiceProcess.SECRET));
        arguments.addAll(List.of(System.getProperty("service.options." + name, "--fabric.provider=soft")
                .split("\\s+")));
        arguments.addAll(List.of(more));
        return SpringApplication.run(TensorServiceApplication.class, arguments.toArray(String[]::new));
    }

    private static Tensor tensor(String name, int seed) {
        byte[] bytes = new byte[BYTES];
        new Random(seed).nextBytes(bytes);
        return Tensor.copyOf(name, DataType.U8, Shape.of(BYTES), bytes);
    }

    @Test
    void whenAPeerPublishesThenItsTensorIsReadAndWrittenInPlaceUntilItIsClosed() throws Exception {
        BlockingQueue<PutEvent> puts = new LinkedBlockingQueue<>();
        try (ConfigurableApplicationContext owner = start("b");
                ConfigurableApplicationContext user = start(
                        "a",
                        "--fabric.peers[0].name=b",
                        "--fabric.peers[0].url=http://127.0.0.1:"
                                + owner.getEnvironment().getRequiredProperty("local.server.port"));
                Tensor weights = tensor("weights", 1);
                Tensor update = tensor("update", 2)) {
            TensorTransferService transfers = user.getBean(TensorTransferService.class);
            PublishOptions options = PublishOptions.readable().withWriters("a").withOnPut(puts::add);
            try (PublishedTensor published =
                    owner.getBean(TensorTransferService.class).publish(weights, options)) {
                try (Tensor copy = transfers
                        .at("b", "weights")
                        .deadline(PATIENCE)
                        .checksum()
                        .pullAndWait()) {
                    assertThat(copy.asByteBuffer()).isEqualTo(weights.asByteBuffer());
                }
                transfers.at("b", "weights").deadline(PATIENCE).checksum().putAndWait(update);
                PutEvent put = puts.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                assertThat(put).isNotNull();
                assertThat(put.length()).isEqualTo(BYTES);
                assertThat(published.tensor().asByteBuffer()).isEqualTo(update.asByteBuffer());
            }
            assertThatThrownBy(() ->
                            transfers.at("b", "weights").deadline(PATIENCE).pullAndWait())
                    .isInstanceOf(TensorNotPublishedException.class)
                    .hasMessageContaining("weights");
        }
    }
}
