package io.tensorfabric.transfer;

import static org.awaitility.Awaitility.await;

import io.tensorfabric.connection.Connection;
import io.tensorfabric.connection.ConnectionException;
import io.tensorfabric.connection.ConnectionState;
import io.tensorfabric.connection.ZoneGrant;
import io.tensorfabric.memory.HostMemoryProvider;
import io.tensorfabric.memory.MemoryPoolOptions;
import io.tensorfabric.memory.MemoryRegionPool;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** A node with transfers over connections in memory. */
final class FakeNode implements AutoCloseable {

    final FakeDomain domain = new FakeDomain();
    final FakeFaults faults = new FakeFaults();
    final ExecutorService wire = Executors.newSingleThreadExecutor();
    final ExecutorService poller = Executors.newSingleThreadExecutor();

    /** Apart from the poller, so that completions can be held while messages come in. */
    final ExecutorService completions = Executors.newSingleThreadExecutor();

    final ExecutorService negotiation = Executors.newSingleThreadExecutor();
    final MemoryRegionPool pool;
    final AtomicInteger connects = new AtomicInteger();
    volatile String incarnation = UUID.randomUUID().toString();
    volatile boolean unreachable;
    volatile RuntimeException connectFailure;
    volatile int bulkLanes = 1;

    /** Whether it does not tell where tensors may be asked to land, as versions before that do. */
    volatile boolean former;

    private final String name;
    private final Map<String, FakeNode> peers = new ConcurrentHashMap<>();
    private final FabricTransfers transfers;
    private volatile FakeConnection latest;

    FakeNode(String name, TransferOptions options, long poolBytes) {
        this.name = name;
        MemoryPoolOptions pooled =
                new MemoryPoolOptions(Math.min(poolBytes, 64 << 20), poolBytes, 256, Duration.ofSeconds(5));
        this.pool = MemoryRegionPool.create(name, domain, new HostMemoryProvider(), pooled, true);
        this.transfers = FabricTransfers.builder()
                .options(options)
                .pool(pool)
                .protectionDomain(domain)
                .connector(this::connect)
                .build();
        transfers.start();
    }

    String name() {
        return name;
    }

    String nodeId() {
        return "id-of-" + name;
    }

    FabricTransfers transfers() {
        return transfers;
    }

    /** The latest connection that this node made. */
    FakeConnection connection() {
        return latest;
    }

    void knows(FakeNode peer) {
        peers.put(peer.name(), peer);
    }

    private CompletableFuture<Connection> connect(String peerName) {
        connects.incrementAndGet();
        if (connectFailure != null) {
            return CompletableFuture.failedFuture(connectFailure);
        }
        FakeNode peer = peers.get(peerName);
        if (peer == null) {
            return CompletableFuture.failedFuture(new ConnectionException(
                    ConnectionException.Kind.UNKNOWN_PEER, peerName, "Peer '" + peerName + "' is not configured"));
        }
        if (peer.unreachable) {
            return CompletableFuture.failedFuture(new ConnectionException(
                    ConnectionException.Kind.UNREACHABLE, peerName, "Peer '" + peerName + "' does not answer"));
        }
        return CompletableFuture.supplyAsync(() -> negotiate(peer), negotiation);
    }

    private Connection negotiate(FakeNode peer) {
        String id = UUID.randomUUID().toString();
        FakeConnection here = new FakeConnection(id, this, peer, bulkLanes);
        FakeConnection there = new FakeConnection(id, peer, this, bulkLanes);
        here.peer = there;
        there.peer = here;
        List<ZoneGrant> zonesThere = peer.open(there);
        List<ZoneGrant> zonesHere = open(here);
        transfers.zonesOpened(here, zonesThere);
        peer.transfers().zonesOpened(there, zonesHere);
        here.state(ConnectionState.UP);
        there.state(ConnectionState.UP);
        peer.transfers().up(there);
        transfers.up(here);
        latest = here;
        peer.latest = there;
        return here;
    }

    private List<ZoneGrant> open(FakeConnection connection) {
        List<ZoneGrant> zones = transfers.openZones(connection);
        return former ? zones.stream().map(zone -> zone.withLanding(null)).toList() : zones;
    }

    @Override
    public void close() {
        faults.resume();
        transfers.close(Duration.ofSeconds(5));
        FakeConnection last = latest;
        if (last != null) {
            last.fail(new ConnectionException(ConnectionException.Kind.CLOSED, name, "closed"));
        }
    }

    /** After all nodes of a test are closed. */
    void end() {
        negotiation.shutdown();
        await().until(negotiation::isTerminated);
        wire.shutdownNow();
        poller.shutdown();
        completions.shutdown();
        pool.close(Duration.ofSeconds(5));
    }
}
