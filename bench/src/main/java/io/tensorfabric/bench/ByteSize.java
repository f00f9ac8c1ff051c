package io.tensorfabric.bench;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A number of bytes, written as 2, 64KB, 1MB or 1GB; the units are powers of 1024. */
record ByteSize(long bytes) {

    private static final Pattern FORM = Pattern.compile("(\\d{1,12})\\s*(B|KB|MB|GB)?");

    private static final long UNIT = 1024;

    static ByteSize parse(String text) {
        Matcher matcher = FORM.matcher(text.trim());
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "a size is digits and B, KB, MB or GB, such as 64KB, not '" + text + "'");
        }
        String unit = matcher.group(2) == null ? "B" : matcher.group(2);
        return new ByteSize(Long.parseLong(matcher.group(1)) * factor(unit));
    }

    private static long factor(String unit) {
        return switch (unit) {
            case "KB" -> UNIT;
            case "MB" -> UNIT * UNIT;
            case "GB" -> UNIT * UNIT * UNIT;
            default -> 1;
        };
    }

    /** As it is written. */
    @Override
    public String toString() {
        for (String unit : new String[] {"GB", "MB", "KB"}) {
            if (bytes > 0 && bytes % factor(unit) == 0) {
                return bytes / factor(unit) + unit;
            }
        }
        return bytes + "B";
    }
}
