package io.tensorfabric.bench.peers;

import java.io.IOException;
import java.util.List;

/** Makes the carriers of other ways. */
public final class Carriers {

    private Carriers() {}

    /**
     * All of them.
     *
     * @param nioPort port of the receiver's plain sockets
     * @param grpcPort port of its gRPC
     * @param httpPort port of its web server
     */
    public static List<Carrier> open(int nioPort, int grpcPort, int httpPort) throws IOException {
        return List.of(new NioCarrier(nioPort), new GrpcCarrier(grpcPort), new RestCarrier(httpPort));
    }
}
