package io.tensorfabric.autoconfigure.discovery;

import io.tensorfabric.connection.Peer;
import java.io.IOException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A source and its latest answer. Asked by one thread, read by all. */
final class SourceWatch {

    private static final Logger logger = LoggerFactory.getLogger(SourceWatch.class);

    /** As names of configured peers. */
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,127}");

    private final PeerSource source;

    private final String ownName;

    private volatile Answer latest = new Answer(Map.of(), null, null);

    SourceWatch(PeerSource source, String ownName) {
        this.source = source;
        this.ownName = ownName;
    }

    private record Answer(
            Map<String, Peer> peers,
            @Nullable Instant time,
            @Nullable String failure) {}

    String description() {
        return source.description();
    }

    List<Peer> peers() {
        return List.copyOf(latest.peers().values());
    }

    PeerSourceStatus status() {
        Answer answer = latest;
        return new PeerSourceStatus(
                source.description(),
                answer.peers().keySet().stream().sorted().toList(),
                answer.time(),
                answer.failure());
    }

    /** Asks anew, and tells whether other peers are known since. */
    boolean ask() {
        Answer before = latest;
        try {
            Map<String, Peer> peers = usable(source.peers());
            latest = new Answer(peers, Instant.now(), null);
            if (before.failure() != null) {
                logger.info("{} answers again", source.description());
            }
            if (peers.equals(before.peers())) {
                return false;
            }
            tell(before.peers(), peers);
            return true;
        } catch (IOException | RuntimeException ex) {
            failed(before, ex);
            return false;
        }
    }

    /** Once, not each time that it goes on. */
    private void failed(Answer before, Exception ex) {
        String reason = ex.getMessage() == null ? ex.getClass().getSimpleName() : ex.getMessage();
        latest = new Answer(before.peers(), before.time(), reason);
        if (before.failure() == null) {
            logger.warn(
                    "{} does not say who the peers are, {} stay known: {}. It is asked again and again",
                    source.description(),
                    before.peers().size(),
                    reason);
            logger.debug("The failure", ex);
        }
    }

    private Map<String, Peer> usable(List<Peer> answered) {
        Map<String, Peer> peers = new LinkedHashMap<>();
        for (Peer peer : answered) {
            if (!NAME.matcher(peer.name()).matches()) {
                logger.debug("{} knows a peer with a name that cannot be used", source.description());
            } else if (!peer.name().equals(ownName) && !ownName.equals(peer.nodeId())) {
                peers.putIfAbsent(peer.name(), peer);
            }
        }
        return peers;
    }

    private void tell(Map<String, Peer> before, Map<String, Peer> now) {
        if (logger.isInfoEnabled()) {
            TreeSet<String> come = new TreeSet<>(now.keySet());
            come.removeAll(before.keySet());
            TreeSet<String> gone = new TreeSet<>(before.keySet());
            gone.removeAll(now.keySet());
            TreeSet<String> moved = new TreeSet<>(now.keySet());
            moved.retainAll(before.keySet());
            moved.removeIf(name -> Objects.equals(before.get(name), now.get(name)));
            logger.info("Peers of {}: new {}, gone {}, moved {}", source.description(), come, gone, moved);
        }
    }
}
