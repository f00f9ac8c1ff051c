package io.tensorfabric.autoconfigure;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.boot.convert.DurationUnit;
import org.springframework.core.env.Environment;
import org.springframework.util.unit.DataSize;

/**
 * Refuses durations below {@code fabric} that have no unit, which one reader takes for seconds and the next for milliseconds, and
 * sizes and durations that cannot be read. Shows how the value is written.
 */
final class UnitsCheck implements ConfigurationPropertiesBindHandlerAdvisor {

    private static final ConfigurationPropertyName FABRIC = ConfigurationPropertyName.of("fabric");

    private static final Pattern NUMBER = Pattern.compile("\\+?\\d+");

    private static final Pattern SIZE = Pattern.compile("(?i)(\\d+(?:\\.\\d+)?)\\s*([kmgt]?)(?:i?b)?");

    /** Each 1024 of the one before it. */
    private static final String[] UNITS = {"B", "KB", "MB", "GB", "TB"};

    private final Environment environment;

    UnitsCheck(Environment environment) {
        this.environment = environment;
    }

    @Override
    public BindHandler apply(BindHandler bindHandler) {
        return new AbstractBindHandler(bindHandler) {
            @Override
            public <T> @Nullable Bindable<T> onStart(
                    ConfigurationPropertyName name, Bindable<T> target, BindContext context) {
                if (FABRIC.isAncestorOf(name)) {
                    check(name, target, context);
                }
                return super.onStart(name, target, context);
            }
        };
    }

    private void check(ConfigurationPropertyName name, Bindable<?> target, BindContext context) {
        Class<?> type = target.getType().resolve();
        if (type != Duration.class && type != DataSize.class) {
            return;
        }
        String text = text(name, context);
        if (text == null) {
            return;
        }
        String reason = type == Duration.class ? wrongDuration(text, unit(target)) : wrongSize(text);
        if (reason != null) {
            throw PropertyChecks.invalid(name.toString(), text, reason);
        }
    }

    /** What is set, if it is text or a number. */
    private @Nullable String text(ConfigurationPropertyName name, BindContext context) {
        for (ConfigurationPropertySource source : context.getSources()) {
            ConfigurationProperty found = source.getConfigurationProperty(name);
            if (found != null) {
                Object value = found.getValue();
                return value instanceof CharSequence || value instanceof Number
                        ? environment.resolvePlaceholders(value.toString()).strip()
                        : null;
            }
        }
        return null;
    }

    private static ChronoUnit unit(Bindable<?> target) {
        DurationUnit unit = target.getAnnotation(DurationUnit.class);
        return unit == null ? ChronoUnit.SECONDS : unit.value();
    }

    /** Nothing if it is right, or empty, or negative, which is refused by its own words. Zero is zero in all units. */
    private static @Nullable String wrongDuration(String text, ChronoUnit usual) {
        if (NUMBER.matcher(text).matches()) {
            return text.matches("\\+?0+")
                    ? null
                    : "It has no unit. Write " + text + (usual == ChronoUnit.MICROS ? "us" : "s")
                            + " if that is meant; units are ns, us, ms, s, m, h and d.";
        }
        try {
            if (!text.isEmpty()) {
                DurationStyle.detectAndParse(text, usual);
            }
            return null;
        } catch (IllegalArgumentException | ArithmeticException ex) {
            return "It is no duration. Write a whole number and a unit, as 1500ms; units are ns, us, ms, s, m, h and d.";
        }
    }

    private static @Nullable String wrongSize(String text) {
        try {
            if (!text.isEmpty()) {
                DataSize.parse(text);
            }
            return null;
        } catch (IllegalArgumentException | ArithmeticException ex) {
            String right = spelled(text);
            return "It is no size. Write " + (right == null ? "a whole number and a unit, as 64MB" : right)
                    + "; units are B, KB, MB, GB and TB, powers of 1024.";
        }
    }

    /** The same size as a whole number, or nothing. */
    private static @Nullable String spelled(String text) {
        Matcher size = SIZE.matcher(text);
        if (!size.matches()) {
            return null;
        }
        int unit = "bkmgt".indexOf(size.group(2).isEmpty() ? "b" : size.group(2).toLowerCase(Locale.ROOT));
        BigDecimal number = new BigDecimal(size.group(1));
        while (number.stripTrailingZeros().scale() > 0 && unit > 0) {
            number = number.multiply(BigDecimal.valueOf(1024));
            unit--;
        }
        String right = number.stripTrailingZeros().toPlainString() + UNITS[unit];
        try {
            DataSize.parse(right);
            return right;
        } catch (IllegalArgumentException | ArithmeticException ex) {
            return null;
        }
    }
}
