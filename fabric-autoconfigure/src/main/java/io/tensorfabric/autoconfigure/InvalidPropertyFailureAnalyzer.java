package io.tensorfabric.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/**
 * Says which property makes no sense, where it was set, and what it must be. Before Spring Boot's own analyzers, which tell of
 * the class that could not be bound.
 */
@Order(0)
final class InvalidPropertyFailureAnalyzer extends AbstractFailureAnalyzer<InvalidConfigurationPropertyValueException> {

    private final @Nullable Environment environment;

    InvalidPropertyFailureAnalyzer(@Nullable Environment environment) {
        this.environment = environment;
    }

    @Override
    protected @Nullable FailureAnalysis analyze(
            Throwable rootFailure, InvalidConfigurationPropertyValueException cause) {
        if (!cause.getName().startsWith("fabric.")) {
            return null;
        }
        return new FailureAnalysis(
                "'" + cause.getName() + "' is invalid: " + cause.getReason() + described(cause.getName()),
                "Correct '" + cause.getName() + "'; docs/properties.md says what each property means and its default.",
                cause);
    }

    /** Where the value comes from. Not the value, which may be a secret. */
    private String described(String name) {
        ConfigurationProperty set = find(name);
        if (set == null || set.getOrigin() == null) {
            return "";
        }
        return " It was set by " + set.getOrigin() + ".";
    }

    private @Nullable ConfigurationProperty find(String text) {
        ConfigurationPropertyName name = ConfigurationPropertyName.ofIfValid(text);
        if (name == null || environment == null) {
            return null;
        }
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            ConfigurationProperty found = source.getConfigurationProperty(name);
            if (found != null) {
                return found;
            }
        }
        return null;
    }
}
