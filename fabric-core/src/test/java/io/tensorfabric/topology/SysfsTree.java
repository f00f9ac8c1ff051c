package io.tensorfabric.topology;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes files as the kernel shows them. */
final class SysfsTree {

    private final Path root;

    SysfsTree(Path root) {
        this.root = root;
    }

    Sysfs sysfs() {
        return new Sysfs(root);
    }

    SysfsTree file(String path, Object content) {
        return bytes(path, (content + "\n").getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }

    SysfsTree bytes(String path, byte[] content) {
        try {
            Path file = root.resolve(path);
            Files.createDirectories(file.getParent());
            Files.write(file, content);
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    SysfsTree link(String path, String target) {
        try {
            Path link = root.resolve(path);
            Files.createDirectories(link.getParent());
            Files.createDirectories(root.resolve(target));
            Files.createSymbolicLink(link, root.resolve(target));
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    SysfsTree rename(String path, String newPath) {
        try {
            Files.move(root.resolve(path), root.resolve(newPath));
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    SysfsTree counter(String device, String file, Object value) {
        return file("class/infiniband/" + device + "/ports/1/" + file, value);
    }
}
