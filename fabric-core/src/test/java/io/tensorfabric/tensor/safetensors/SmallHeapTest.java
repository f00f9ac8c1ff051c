package io.tensorfabric.tensor.safetensors;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** In a Java with 64 MiB of heap a header ends in a verdict, never in an {@link OutOfMemoryError}. */
class SmallHeapTest {

    private static final long DEADLINE_SECONDS = 60;

    @Test
    void whenHeapIsSmallThenVerdictsAreTheSame(@TempDir Path folder) throws Exception {
        Files.write(folder.resolve("1-huge"), Vectors.prefixed(-1, new byte[12], 0));
        Files.write(folder.resolve("2-past-end"), Vectors.prefixed(99_999_999, new byte[12], 0));
        writePadded(folder.resolve("3-padded"));
        writeManyTensors(folder.resolve("4-many-tensors"));
        writeLongString(folder.resolve("5-long-string"));
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx64m",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        Reader.class.getName(),
                        folder.toString())
                .redirectError(folder.resolve("errors").toFile())
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue())
                .as(() -> output + read(folder.resolve("errors")))
                .isZero();
        assertThat(output.lines())
                .satisfiesExactly(
                        line -> assertThat(line).startsWith("1-huge refused").contains("quick"),
                        line -> assertThat(line)
                                .startsWith("2-past-end refused")
                                .contains("quick"),
                        line -> assertThat(line).startsWith("3-padded 1 tensors"),
                        line -> assertThat(line).startsWith("4-many-tensors refused"),
                        line -> assertThat(line).startsWith("5-long-string refused"));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** The longest header allowed, nearly all of it padding. */
    private static void writePadded(Path file) throws IOException {
        String tensor = "{" + Vectors.entry("a", "U8", "[1]", "[0,1]") + "}";
        write(file, tensor, " ", "", 1);
    }

    private static void writeManyTensors(Path file) throws IOException {
        StringBuilder tensors = new StringBuilder("{").append(Vectors.entry("a", "U8", "[0]", "[0,0]"));
        for (int i = 0; i < 1_000_000; i++) {
            tensors.append(',').append(Vectors.entry(Integer.toString(i), "U8", "[0]", "[0,0]"));
        }
        write(file, tensors.append('}').toString(), " ", "", 0);
    }

    private static void writeLongString(Path file) throws IOException {
        write(file, "{\"__metadata__\":{\"a\":\"", "x", "\"}}", 0);
    }

    private static void write(Path file, String start, String filler, String end, int data) throws IOException {
        int length = (int) SafetensorsHeader.MAX_HEADER_BYTES;
        byte[] fill = new byte[1 << 16];
        Arrays.fill(fill, (byte) filler.charAt(0));
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
            out.write(ByteBuffer.allocate(8)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .putLong(length)
                    .array());
            out.write(start.getBytes(StandardCharsets.US_ASCII));
            for (int left = length - start.length() - end.length(); left > 0; left -= fill.length) {
                out.write(fill, 0, Math.min(left, fill.length));
            }
            out.write(end.getBytes(StandardCharsets.US_ASCII));
            out.write(new byte[data]);
        }
    }

    /** What runs in the small heap. */
    static final class Reader {

        private Reader() {}

        /** Opens every numbered file of a folder and prints one line for each. */
        public static void main(String[] arguments) throws IOException {
            for (int i = 1; i <= 5; i++) {
                try (var files = Files.newDirectoryStream(Path.of(arguments[0]), i + "-*")) {
                    for (Path file : files) {
                        System.out.println(file.getFileName() + " " + verdict(file));
                    }
                }
            }
        }

        private static String verdict(Path file) throws IOException {
            long start = System.nanoTime();
            try (SafetensorsFile opened = SafetensorsFile.open(file)) {
                return opened.header().entries().size() + " tensors";
            } catch (SafetensorsFormatException e) {
                Duration time = Duration.ofNanos(System.nanoTime() - start);
                return "refused, " + (time.toSeconds() < 1 ? "quick: " : "slow: ") + e.getMessage();
            }
        }
    }
}
