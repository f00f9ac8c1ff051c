package io.tensorfabric.autoconfigure.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.transfer.TensorTransferService;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Nodes that know nothing but IPv6. */
@Timeout(90)
class Ipv6Test {

    @Test
    void whenBothNodesAreOnIpv6OnlyThenTensorsArrive() throws Exception {
        assumeTrue(hasIpv6(), "this machine has no ::1");
        try (Node ranker = new Node("ranker-6", "::1");
                Node feeder = new Node("feeder-6", "::1", "fabric.peers=ranker=" + ranker.uri());
                Tensor tensor = Tensor.copyOf("embeddings/six", DataType.U8, Shape.of(3), new byte[] {1, 2, 3})) {
            feeder.bean(TensorTransferService.class).push("ranker", tensor).get(40, TimeUnit.SECONDS);
            Node.Seen seen = ranker.bean(Node.Listener.class).seen.poll(10, TimeUnit.SECONDS);
            assertThat(seen).isNotNull();
            assertThat(seen.bytes()).containsExactly(1, 2, 3);
        }
    }

    private static boolean hasIpv6() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName("::1"))) {
            return socket.isBound();
        } catch (IOException ex) {
            return false;
        }
    }
}
