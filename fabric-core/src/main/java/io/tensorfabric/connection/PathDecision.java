package io.tensorfabric.connection;

import io.tensorfabric.verbs.GidEntry;
import io.tensorfabric.verbs.LinkLayer;
import io.tensorfabric.verbs.Mtu;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Which port and GID are used, and why.
 *
 * @param device name of the device
 * @param port port, counted from 1
 * @param linkLayer link layer of the port
 * @param lid LID of the port, 0 on Ethernet
 * @param activeMtu MTU of the port
 * @param gid the chosen entry of the GID table
 * @param candidates all usable entries of the table, with the reason for or against each
 * @param warnings what will not work well with this choice, possibly nothing
 */
public record PathDecision(
        String device,
        int port,
        LinkLayer linkLayer,
        int lid,
        Mtu activeMtu,
        GidEntry gid,
        List<Candidate> candidates,
        List<String> warnings) {

    /** Copies the lists. */
    public PathDecision {
        candidates = List.copyOf(candidates);
        warnings = List.copyOf(warnings);
    }

    /**
     * An entry that was looked at.
     *
     * @param entry the entry
     * @param chosen whether it was taken
     * @param reason why, or why not
     */
    public record Candidate(GidEntry entry, boolean chosen, String reason) {}

    /** One line for people: the choice, then each other entry with the reason against it. */
    public String explanation() {
        String others = candidates.stream()
                .filter(candidate -> !candidate.chosen())
                .map(candidate -> PathSelector.describe(candidate.entry()) + " (" + candidate.reason() + ")")
                .collect(Collectors.joining(", "));
        return device + " port " + port + ": GID " + PathSelector.describe(gid)
                + (others.isEmpty() ? ", the only one" : "; not " + others);
    }
}
