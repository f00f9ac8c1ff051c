package io.tensorfabric.service.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.tensor.safetensors.SafetensorsGenerator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Case S13: the name of a peer is unknown at first, then known, then leads elsewhere. */
@Timeout(240)
class MovedPeerIT {

    @TempDir
    Path folder;

    private Path hosts;

    private void nameLeadsTo(String address) throws IOException {
        Path next = folder.resolve("next-hosts");
        Files.writeString(next, "127.0.0.1 localhost\n" + (address.isEmpty() ? "" : address + " peer-b.test\n"));
        Files.move(next, hosts, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    }

    private ServiceProcess startB(String address, int port) throws IOException {
        return ServiceProcess.start(
                folder,
                "b",
                "--server.address=" + address,
                "--server.port=" + port,
                "--fabric.soft.bind-address=" + address,
                "--fabric.security.allow-plaintext=true");
    }

    @Test
    void whenThePeersNameLeadsElsewhereThenItIsReachedThereWithinHalfAMinute() throws Exception {
        hosts = folder.resolve("hosts");
        nameLeadsTo("");
        Path file = folder.resolve("model.safetensors");
        SafetensorsGenerator.generate(file, 64 * 1024, 7);
        ServiceProcess b = startB("127.0.0.1", 0);
        int port = b.port();
        try (ServiceProcess a = ServiceProcess.start(
                folder,
                "a",
                "-Djdk.net.hosts.file=" + hosts,
                "--fabric.security.allow-plaintext=true",
                "--fabric.peers[0].name=b",
                "--fabric.peers[0].url=http://peer-b.test:" + port)) {
            String id = ServiceProcess.json(ServiceProcess.ok(a.upload("model", file)))
                    .at("/file/id")
                    .asString();
            assertThat(push(a, id)).as("an unknown name").isEqualTo(502);
            nameLeadsTo("127.0.0.1");
            awaitPush(a, id, "the name became known");
            b.kill();
            nameLeadsTo("127.0.0.2");
            b = startB("127.0.0.2", port);
            awaitPush(a, id, "the name leads elsewhere");
        } finally {
            b.close();
        }
    }

    private static void awaitPush(ServiceProcess a, String id, String what) {
        long begin = System.nanoTime();
        await().atMost(Duration.ofSeconds(45))
                .pollInterval(Duration.ofMillis(250))
                .until(() -> push(a, id) == 200);
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
        System.out.println("recovery: " + what + ": " + millis + " ms");
        assertThat(millis).isLessThan(Duration.ofSeconds(30).toMillis());
    }

    private static int push(ServiceProcess a, String id) throws IOException, InterruptedException {
        return a.push(id, "{\"peer\": \"b\", \"deadline\": \"5s\"}", true).statusCode();
    }
}
