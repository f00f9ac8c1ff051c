package io.tensorfabric.connection;

import java.util.List;
import java.util.stream.Collectors;

/**
 * Which device is used, and why.
 *
 * @param device name of the device
 * @param candidates all devices that were there, with the reason for or against each
 */
public record DeviceDecision(String device, List<Candidate> candidates) {

    /** Copies the list. */
    public DeviceDecision {
        candidates = List.copyOf(candidates);
    }

    /**
     * A device that was looked at.
     *
     * @param device its name
     * @param chosen whether it was taken
     * @param reason why, or why not
     */
    public record Candidate(String device, boolean chosen, String reason) {}

    /** One line for people: the choice, then each other device with the reason against it. */
    public String explanation() {
        String taken = candidates.stream()
                .filter(Candidate::chosen)
                .map(Candidate::reason)
                .collect(Collectors.joining());
        String others = candidates.stream()
                .filter(candidate -> !candidate.chosen())
                .map(candidate -> candidate.device() + " (" + candidate.reason() + ")")
                .collect(Collectors.joining(", "));
        return device + ": " + taken + (others.isEmpty() ? "" : "; not " + others);
    }
}
