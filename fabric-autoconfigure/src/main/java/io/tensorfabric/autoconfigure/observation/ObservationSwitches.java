package io.tensorfabric.autoconfigure.observation;

import java.util.Map;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * What {@code management.observations.enable} says, as Spring Boot reads it. Boot asks anew for each observation, when most of
 * what an observation costs is spent.
 */
final class ObservationSwitches {

    private static final String PROPERTY = "management.observations.enable";

    private static final String ALL = "all";

    private final Map<String, Boolean> switches;

    ObservationSwitches(Environment environment) {
        this.switches = Binder.get(environment)
                .bind(PROPERTY, Bindable.mapOf(String.class, Boolean.class))
                .orElse(Map.of());
    }

    /** Whether none of these observations is made: the longest part of each one's name that is switched decides. */
    boolean areOff(String... names) {
        for (String name : names) {
            if (isOn(name)) {
                return false;
            }
        }
        return true;
    }

    private boolean isOn(String name) {
        String part = name;
        while (!part.isEmpty()) {
            Boolean on = switches.get(part);
            if (on != null) {
                return on;
            }
            part = part.substring(0, Math.max(0, part.lastIndexOf('.')));
        }
        return switches.getOrDefault(ALL, true);
    }
}
