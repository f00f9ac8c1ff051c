package io.tensorfabric.bench.chaos;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * What a check found.
 *
 * @param pushes pushes that began
 * @param delivered tensors that listeners were given
 * @param redelivered of these, tensors that a listener of an earlier start of the receiver had been given, too
 * @param lostWithSender pushes whose sender was killed before they ended
 * @param lostWithReceiver pushes with a receipt whose tensor no listener was given, because the receiver ended
 * @param outcomes how pushes ended
 * @param latest the longest time by which a push ended after its deadline, while its sender was running and not just
 *     started
 * @param violations broken promises
 */
record Tally(
        long pushes,
        long delivered,
        long redelivered,
        long lostWithSender,
        long lostWithReceiver,
        Map<String, Long> outcomes,
        Duration latest,
        List<String> violations) {

    Tally {
        violations = List.copyOf(violations);
    }

    Tally withViolations(List<String> all) {
        return new Tally(pushes, delivered, redelivered, lostWithSender, lostWithReceiver, outcomes, latest, all);
    }
}
