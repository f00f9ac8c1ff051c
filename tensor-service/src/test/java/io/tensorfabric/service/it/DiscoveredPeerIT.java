package io.tensorfabric.service.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.tensor.safetensors.SafetensorsGenerator;
import io.tensorfabric.testing.DnsServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A peer that nobody lists: the DNS names it, and follows it when it moves. */
@Timeout(240)
class DiscoveredPeerIT {

    @TempDir
    Path folder;

    private ServiceProcess startB(String address, int port) throws Exception {
        return ServiceProcess.start(
                folder,
                "b",
                "--server.address=" + address,
                "--server.port=" + port,
                "--fabric.soft.bind-address=" + address,
                "--fabric.security.allow-plaintext=true");
    }

    @Test
    void whenTheDnsNamesAPeerThenItIsPushedToAndFollowedWithinHalfAMinute() throws Exception {
        Path file = folder.resolve("model.safetensors");
        SafetensorsGenerator.generate(file, 64 * 1024, 7);
        Path hosts = Files.writeString(folder.resolve("hosts"), "127.0.0.1 localhost\n127.0.0.1 pod-b.members.test\n");
        ServiceProcess b = startB("127.0.0.1", 0);
        int port = b.port();
        try (DnsServer dns = new DnsServer();
                ServiceProcess a = ServiceProcess.start(
                        folder,
                        "a",
                        "-Djdk.net.hosts.file=" + hosts,
                        "--fabric.security.allow-plaintext=true",
                        "--fabric.discovery.dns-server=" + dns.address(),
                        "--fabric.discovery.dns[0].service=members.test.",
                        "--fabric.discovery.dns[0].port=" + port,
                        "--fabric.discovery.dns[1].service=members.test.",
                        "--fabric.discovery.dns[1].port-name=http")) {
            String id = ServiceProcess.json(ServiceProcess.ok(a.upload("model", file)))
                    .at("/file/id")
                    .asString();
            assertThat(push(a, id, "members-127.0.0.1"))
                    .as("nobody is there yet")
                    .isEqualTo(404);
            dns.setServices("_http._tcp.members.test", "pod-b.members.test:" + port);
            awaitPush(a, id, "pod-b", "named");
            dns.setAddresses("members.test", "127.0.0.1");
            awaitPush(a, id, "members-127.0.0.1", "an address");
            b.kill();
            b = startB("127.0.0.2", port);
            dns.setAddresses("members.test", "127.0.0.2");
            awaitPush(a, id, "members-127.0.0.2", "another address");
            Files.writeString(hosts, "127.0.0.1 localhost\n127.0.0.2 pod-b.members.test\n");
            awaitPush(a, id, "pod-b", "the name leads elsewhere");
            assertThat(a.get("/actuator/fabric/discovery")
                            .at("/sources/0/peers/0")
                            .asString())
                    .isEqualTo("members-127.0.0.2");
        } finally {
            b.close();
        }
    }

    private static void awaitPush(ServiceProcess a, String id, String peer, String what) {
        long begin = System.nanoTime();
        await().atMost(Duration.ofSeconds(45))
                .pollInterval(Duration.ofMillis(250))
                .until(() -> push(a, id, peer) == 200);
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
        System.out.println("discovery: " + what + ": " + millis + " ms");
        assertThat(millis).isLessThan(Duration.ofSeconds(30).toMillis());
    }

    private static int push(ServiceProcess a, String id, String peer) throws Exception {
        return a.push(id, "{\"peer\": \"" + peer + "\", \"deadline\": \"5s\"}", true)
                .statusCode();
    }
}
