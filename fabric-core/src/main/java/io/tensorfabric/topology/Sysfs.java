package io.tensorfabric.topology;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * Reads small files below a root, mostly {@code /sys}. Whatever cannot be read is absent: files come and go with drivers,
 * kernels and containers, and some of them refuse to be read while they are there. Immutable, thread-safe.
 */
public final class Sysfs {

    /** Where the kernel mounts it. */
    public static final Path DEFAULT_ROOT = Path.of("/sys");

    private static final int MAX_BYTES = 64 * 1024;

    private final Path root;

    /**
     * A view of the files below a root.
     *
     * @param root folder that stands for {@code /sys}
     */
    public Sysfs(Path root) {
        this.root = root.toAbsolutePath().normalize();
    }

    /** The root. */
    public Path root() {
        return root;
    }

    /** Content of a file as text, without white space at its ends. */
    public Optional<String> text(String path) {
        return bytes(path).map(bytes -> new String(bytes, StandardCharsets.UTF_8).strip());
    }

    /** Content of a file, at most the first 64 KiB. */
    public Optional<byte[]> bytes(String path) {
        Optional<Path> file = below(path);
        if (file.isEmpty()) {
            return Optional.empty();
        }
        try (var in = Files.newInputStream(file.get())) {
            return Optional.of(in.readNBytes(MAX_BYTES));
        } catch (IOException ex) {
            return Optional.empty();
        }
    }

    /** A file that holds one unsigned number; those beyond {@code Long.MAX_VALUE} read as that. */
    public OptionalLong number(String path) {
        Optional<String> text = text(path);
        if (text.isEmpty()) {
            return OptionalLong.empty();
        }
        try {
            long value = text.get().startsWith("-") ? Long.parseLong(text.get()) : Long.parseUnsignedLong(text.get());
            return OptionalLong.of(value < 0 && !text.get().startsWith("-") ? Long.MAX_VALUE : value);
        } catch (NumberFormatException ex) {
            return OptionalLong.empty();
        }
    }

    /** Names of what is in a folder, sorted; none if there is no such folder. */
    public List<String> names(String folder) {
        Optional<Path> path = below(folder);
        if (path.isEmpty()) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(path.get())) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        } catch (IOException ex) {
            return List.of();
        }
    }

    /** Whether there is such a file or folder. */
    public boolean exists(String path) {
        return below(path).filter(Files::exists).isPresent();
    }

    /** Where a path leads when links are followed, with {@code /} between parts and relative to the root. */
    Optional<String> target(String path) {
        Optional<Path> link = below(path);
        if (link.isEmpty()) {
            return Optional.empty();
        }
        try {
            Path real = link.get().toRealPath();
            Path base = root.toRealPath();
            return real.startsWith(base) ? Optional.of(base.relativize(real).toString()) : Optional.empty();
        } catch (IOException ex) {
            return Optional.empty();
        }
    }

    /** Names of devices end up in paths: none may lead out of the root. */
    private Optional<Path> below(String path) {
        try {
            Path file = root.resolve(path).normalize();
            return file.startsWith(root) ? Optional.of(file) : Optional.empty();
        } catch (InvalidPathException ex) {
            return Optional.empty();
        }
    }
}
