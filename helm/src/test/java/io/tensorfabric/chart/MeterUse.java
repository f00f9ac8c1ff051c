package io.tensorfabric.chart;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A meter that an expression of PromQL names, and what it wants of its labels.
 *
 * @param name name of the series
 * @param labels label to matcher, such as {@code =~"ERR|SQE"}
 */
record MeterUse(String name, Map<String, String> labels) {

    private static final Pattern SELECTOR = Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)\\{([^}]*)}");

    private static final Pattern LABEL = Pattern.compile("([a-z_]+)(=~|!~|!=|=)\"([^\"]*)\"");

    private static final Pattern SERIES = Pattern.compile("(?m)^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{([^}]*)})? ");

    /** All that an expression names. Every name in it must have a selector. */
    static List<MeterUse> of(String expression) {
        List<MeterUse> uses = new ArrayList<>();
        Matcher selectors = SELECTOR.matcher(expression);
        while (selectors.find()) {
            Map<String, String> labels = new LinkedHashMap<>();
            Matcher label = LABEL.matcher(selectors.group(2));
            while (label.find()) {
                labels.put(label.group(1), label.group(2) + label.group(3));
            }
            // Prometheus adds these when it scrapes.
            labels.keySet().removeAll(List.of("namespace", "pod"));
            uses.add(new MeterUse(selectors.group(1), labels));
        }
        return uses;
    }

    /** Whether what a service exports has a series for each. */
    boolean isIn(String exported) {
        Matcher series = SERIES.matcher(exported);
        while (series.find()) {
            if (series.group(1).equals(name) && fits(series.group(2) == null ? "" : series.group(2))) {
                return true;
            }
        }
        return false;
    }

    private boolean fits(String text) {
        Map<String, String> present = new LinkedHashMap<>();
        Matcher label = LABEL.matcher(text);
        while (label.find()) {
            present.put(label.group(1), label.group(3));
        }
        return labels.entrySet().stream().allMatch(wanted -> {
            String value = present.get(wanted.getKey());
            return value != null && matches(wanted.getValue(), value);
        });
    }

    private static boolean matches(String matcher, String value) {
        if (matcher.startsWith("=~")) {
            return value.matches(matcher.substring(2));
        }
        if (matcher.startsWith("!")) {
            return true;
        }
        return value.equals(matcher.substring(1));
    }
}
