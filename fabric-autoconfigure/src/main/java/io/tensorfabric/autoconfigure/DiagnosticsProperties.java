package io.tensorfabric.autoconfigure;

import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.convert.DurationUnit;

/**
 * What is looked at besides the fabric itself.
 *
 * @param sysfs Where the kernel's sysfs is mounted, for counters of ports and the topology. In a container that shows none
 *     of it, a mount of the host's.
 * @param counterWindow How long growth of a port's error counters is warned of.
 * @param preflightTimeout Longest time of a preflight.
 */
public record DiagnosticsProperties(
        @DefaultValue("/sys") Path sysfs,

        @DefaultValue("5m") @DurationUnit(ChronoUnit.SECONDS)
        Duration counterWindow,

        @DefaultValue("30s") @DurationUnit(ChronoUnit.SECONDS)
        Duration preflightTimeout) {

    public DiagnosticsProperties {
        PropertyChecks.positive("fabric.diagnostics.counter-window", counterWindow);
        PropertyChecks.positive("fabric.diagnostics.preflight-timeout", preflightTimeout);
    }
}
