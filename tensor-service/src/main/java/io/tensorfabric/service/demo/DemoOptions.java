package io.tensorfabric.service.demo;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.util.unit.DataSize;

/**
 * Options of the demo's client.
 *
 * @param a base of the service that sends
 * @param b base of the service that receives
 * @param peer name by which A knows B
 * @param file file to send, or {@code null} to make one up
 * @param size size of the file to make up
 * @param deadline longest time for one tensor and for each call
 * @param help whether only the usage is wanted
 */
record DemoOptions(URI a, URI b, String peer, @Nullable Path file, DataSize size, Duration deadline, boolean help) {

    static final String USAGE = """
            usage: --a URL --b URL [--peer NAME] [--file FILE | --size SIZE] [--deadline TIME]

              --a URL          the service that sends
              --b URL          the service that receives
              --peer NAME      the name by which A knows B (b)
              --file FILE      send the tensors of this safetensors file
              --size SIZE      make up tensors of this size in all, such as 64MB or 1GB (256MB)
              --deadline TIME  longest time for one tensor (5m)""";

    private static final URI NOWHERE = URI.create("http://localhost");

    static DemoOptions parse(String[] args) {
        URI a = null;
        URI b = null;
        String peer = "b";
        Path file = null;
        DataSize size = DataSize.ofMegabytes(256);
        Duration deadline = Duration.ofMinutes(5);
        Iterator<String> words = List.of(args).iterator();
        while (words.hasNext()) {
            String option = words.next();
            if (option.equals("--help") || option.equals("-h")) {
                return new DemoOptions(NOWHERE, NOWHERE, peer, null, size, deadline, true);
            }
            if (!words.hasNext()) {
                throw new IllegalArgumentException(option + " needs a value\n" + USAGE);
            }
            String value = words.next();
            switch (option) {
                case "--a" -> a = URI.create(value);
                case "--b" -> b = URI.create(value);
                case "--peer" -> peer = value;
                case "--file" -> file = Path.of(value);
                case "--size" -> size = size(value);
                case "--deadline" -> deadline = DurationStyle.detectAndParse(value);
                default -> throw new IllegalArgumentException("unknown option " + option + "\n" + USAGE);
            }
        }
        if (a == null || b == null) {
            throw new IllegalArgumentException("--a and --b are needed\n" + USAGE);
        }
        return new DemoOptions(a, b, peer, file, size, deadline, false);
    }

    private static DataSize size(String text) {
        DataSize size = DataSize.parse(text);
        if (size.toBytes() < DemoFile.LEAST_SIZE) {
            throw new IllegalArgumentException("--size must be at least 8KB, not " + text);
        }
        return size;
    }
}
