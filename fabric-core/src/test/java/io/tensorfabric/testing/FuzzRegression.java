package io.tensorfabric.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;

/**
 * Runs a fuzz target in an ordinary test: over every recorded input, then for a short time over changes of them. The long
 * search, guided by coverage, is {@code ./dev fuzz}; what it finds becomes a recorded input.
 */
public final class FuzzRegression {

    private static final int MAX_LENGTH = 4096;

    private static final long[] INTERESTING = {
        0,
        1,
        -1,
        7,
        8,
        127,
        128,
        255,
        256,
        4080,
        4096,
        32767,
        65535,
        65536,
        1 << 20,
        (1 << 20) + 1,
        Integer.MAX_VALUE,
        Integer.MIN_VALUE,
        1L << 31,
        1L << 32,
        1L << 62,
        Long.MAX_VALUE,
        Long.MIN_VALUE
    };

    /** A fuzz target: returns, or throws what is a finding. */
    @FunctionalInterface
    public interface Target {

        /** Runs one input. */
        void run(byte[] input);
    }

    private FuzzRegression() {}

    /**
     * Runs a target.
     *
     * @param name folder of its recorded inputs below {@code src/test/resources/fuzz}
     * @param time how long to go on with changed inputs
     * @return how many inputs ran
     */
    public static long run(String name, Target target, Duration time) throws IOException {
        List<byte[]> seeds = recorded(name);
        Assertions.assertThat(seeds).as("recorded inputs of " + name).hasSizeGreaterThan(2);
        long count = 0;
        for (byte[] seed : seeds) {
            run(target, seed);
            count++;
        }
        Random random = new Random(17);
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() - end < 0) {
            run(target, changed(seeds, random));
            count++;
        }
        return count;
    }

    private static List<byte[]> recorded(String name) throws IOException {
        List<byte[]> inputs = new ArrayList<>();
        try (Stream<Path> files = Files.list(Path.of("src", "test", "resources", "fuzz", name))) {
            for (Path file : files.sorted().toList()) {
                inputs.add(Files.readAllBytes(file));
            }
        }
        return inputs;
    }

    private static void run(Target target, byte[] input) throws IOException {
        try {
            target.run(input.clone());
        } catch (RuntimeException | Error e) {
            Path kept = Files.createTempFile("fuzz-finding-", ".bin");
            Files.write(kept, input);
            throw new AssertionError("The target failed on an input of " + input.length + " bytes, kept in " + kept, e);
        }
    }

    private static byte[] changed(List<byte[]> seeds, Random random) {
        byte[] input = seeds.get(random.nextInt(seeds.size())).clone();
        for (int changes = 1 + random.nextInt(4); changes > 0; changes--) {
            input = change(input, seeds, random);
        }
        return input;
    }

    private static byte[] change(byte[] input, List<byte[]> seeds, Random random) {
        if (input.length == 0) {
            return new byte[] {(byte) random.nextInt()};
        }
        int at = random.nextInt(input.length);
        return switch (random.nextInt(6)) {
            case 0 -> flip(input, at, random);
            case 1 -> Arrays.copyOf(input, at);
            case 2 -> splice(input, at, seeds.get(random.nextInt(seeds.size())), random);
            case 3 -> number(input, at, random);
            case 4 -> repeat(input, at, random);
            default -> {
                input[at] = (byte) random.nextInt();
                yield input;
            }
        };
    }

    private static byte[] flip(byte[] input, int at, Random random) {
        input[at] ^= (byte) (1 << random.nextInt(8));
        return input;
    }

    private static byte[] splice(byte[] input, int at, byte[] other, Random random) {
        int from = other.length == 0 ? 0 : random.nextInt(other.length);
        byte[] joined = Arrays.copyOf(input, Math.min(MAX_LENGTH, at + other.length - from));
        System.arraycopy(other, from, joined, Math.min(at, joined.length), Math.max(0, joined.length - at));
        return joined;
    }

    /** Writes a number that often is a border, in one of the usual sizes and orders. */
    private static byte[] number(byte[] input, int at, Random random) {
        long value = INTERESTING[random.nextInt(INTERESTING.length)];
        int size = 1 << random.nextInt(4);
        boolean little = random.nextBoolean();
        for (int i = 0; i < size && at + i < input.length; i++) {
            int shift = 8 * (little ? i : size - 1 - i);
            input[at + i] = (byte) (value >>> shift);
        }
        return input;
    }

    private static byte[] repeat(byte[] input, int at, Random random) {
        int length = 1 + random.nextInt(Math.min(64, input.length - at));
        if (input.length + length > MAX_LENGTH) {
            return input;
        }
        byte[] longer = Arrays.copyOf(input, input.length + length);
        System.arraycopy(input, at, longer, at + length, input.length - at);
        return longer;
    }
}
