package io.tensorfabric.autoconfigure.negotiation;

import io.tensorfabric.connection.ConnectRequest;
import io.tensorfabric.connection.ConnectResponse;
import io.tensorfabric.connection.EstablishedRequest;
import io.tensorfabric.connection.EstablishedResponse;
import io.tensorfabric.connection.LandingOffer;
import io.tensorfabric.connection.LaneOffer;
import io.tensorfabric.connection.LanePurpose;
import io.tensorfabric.connection.NegotiationHandler;
import io.tensorfabric.connection.NodeDescription;
import io.tensorfabric.connection.NodeIdentity;
import io.tensorfabric.connection.PathOffer;
import io.tensorfabric.connection.ZoneGrant;
import io.tensorfabric.connection.ZoneRequest;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Answers with fixed values, writes down what it was asked, and throws what it is told to. */
class FakeNegotiationHandler implements NegotiationHandler {

    static final PathOffer PATH = new PathOffer("::ffff:10.0.0.1", 0, 4096, "SOFTWARE", "ROCE_V2");

    static final LaneOffer LANE = new LaneOffer(0, LanePurpose.CONTROL, 17, 4711, 64, "127.0.0.1:1/provider-secret");

    static final ZoneGrant ZONE = new ZoneGrant(1, 0x7f00_0000_1000L, 65536, "host", List.of(-559038737), false)
            .withLanding(new LandingOffer(List.of("host", "cuda:0"), null));

    final List<String> calls = new CopyOnWriteArrayList<>();

    volatile NodeIdentity identity;

    volatile RuntimeException failure;

    volatile List<ZoneGrant> zones = List.of(ZONE);

    FakeNegotiationHandler(String nodeId) {
        this.identity = new NodeIdentity(nodeId, nodeId + "-start-1");
    }

    static ConnectRequest request(NodeIdentity initiator) {
        return new ConnectRequest(1, "0b1e5a2c-0000-4000-8000-000000000001", initiator, "soft", PATH, List.of(LANE));
    }

    @Override
    public NodeDescription node() {
        return new NodeDescription(identity, List.of(1), "soft", "soft0", List.of("host"));
    }

    @Override
    public ConnectResponse connect(ConnectRequest request) {
        note("connect " + request.connectionId());
        return new ConnectResponse(request.connectionId(), identity, PATH, 4096, request.lanes(), zones);
    }

    @Override
    public EstablishedResponse established(String connectionId, EstablishedRequest request) {
        note("established " + connectionId + " " + request.zones().size());
        return new EstablishedResponse(List.of("RTS"));
    }

    @Override
    public ZoneGrant openZone(String connectionId, ZoneRequest request) {
        note("zone " + connectionId + " " + request.bytes());
        return ZONE;
    }

    @Override
    public void close(String connectionId, String nodeId) {
        note("close " + connectionId + " of " + nodeId);
    }

    private void note(String call) {
        calls.add(call);
        if (failure != null) {
            throw failure;
        }
    }
}
