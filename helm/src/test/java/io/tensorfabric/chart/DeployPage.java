package io.tensorfabric.chart;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The page that leads from an image to a working pair. */
final class DeployPage {

    private static final Pattern BLOCK = Pattern.compile("(?s)```sh\n(.*?)```");

    private static final Pattern SET = Pattern.compile("--set ([A-Za-z.]+)=(\\S+)");

    private DeployPage() {}

    static String text() throws IOException {
        return Files.readString(Path.of("..", "docs", "deploy.md"));
    }

    /** The block of commands that holds a text. */
    static String commands(String part) throws IOException {
        Matcher blocks = BLOCK.matcher(text());
        while (blocks.find()) {
            if (blocks.group(1).contains(part)) {
                return blocks.group(1);
            }
        }
        throw new AssertionError("no commands with " + part);
    }

    /** The values that the command of the installation sets. */
    static Map<String, String> values() throws IOException {
        Map<String, String> values = new LinkedHashMap<>();
        Matcher set = SET.matcher(commands("helm install"));
        while (set.find()) {
            values.put(set.group(1), set.group(2));
        }
        return values;
    }
}
