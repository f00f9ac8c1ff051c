package io.tensorfabric.autoconfigure;

import io.tensorfabric.connection.CompletionMode;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.convert.DurationUnit;

/**
 * Completion queues and the threads that poll them.
 *
 * @param pollers Threads that poll for completions, each with its own completion queues.
 * @param sendEntries Entries of each completion queue for sends.
 * @param receiveEntries Entries of each completion queue for receives.
 * @param batch Completions that are taken at once.
 * @param mode How pollers wait: "spin" polls without a pause and takes a processor for each poller, "event" sleeps whenever
 *     there is no work, "adaptive" polls for the time of "spin" before it sleeps.
 * @param spin How long a poller of the mode "adaptive" polls without work before it sleeps; longer is faster and costs
 *     processor time.
 * @param numaAffinity Whether pollers run only on the processors of the device's NUMA node, where it has one.
 */
public record CompletionProperties(
        @DefaultValue("1") int pollers,
        @DefaultValue("4096") int sendEntries,
        @DefaultValue("32768") int receiveEntries,
        @DefaultValue("64") int batch,
        @DefaultValue("adaptive") CompletionMode mode,

        @DefaultValue("20us") @DurationUnit(ChronoUnit.MICROS)
        Duration spin,

        @DefaultValue("true") boolean numaAffinity) {

    private static final String PREFIX = "fabric.completion";

    private static final int MAX_ENTRIES = 1 << 22;

    public CompletionProperties {
        PropertyChecks.range(PREFIX + ".pollers", pollers, 1, 64);
        PropertyChecks.range(PREFIX + ".send-entries", sendEntries, 8, MAX_ENTRIES);
        PropertyChecks.range(PREFIX + ".receive-entries", receiveEntries, 8, MAX_ENTRIES);
        PropertyChecks.range(PREFIX + ".batch", batch, 1, 4096);
        PropertyChecks.notNegative(PREFIX + ".spin", spin);
    }
}
