package io.tensorfabric.tensor.safetensors;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.UUID;

/** A file that is written beside its place and takes it when complete. */
final class ReplacedFile implements AutoCloseable {

    private final Path file;
    private final Path part;
    private final FileChannel channel;
    private boolean committed;

    private ReplacedFile(Path file, Path part, FileChannel channel) {
        this.file = file;
        this.part = part;
        this.channel = channel;
    }

    static ReplacedFile of(Path file) throws IOException {
        // Not Files.createTempFile, which would leave the result readable to its owner only.
        Path part = file.resolveSibling("." + UUID.randomUUID() + ".part");
        FileChannel channel = FileChannel.open(part, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        return new ReplacedFile(file, part, channel);
    }

    FileChannel channel() {
        return channel;
    }

    /** Makes the content durable, then visible. */
    void commit() throws IOException {
        channel.force(true);
        channel.close();
        Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        committed = true;
    }

    @Override
    public void close() throws IOException {
        channel.close();
        if (!committed) {
            Files.deleteIfExists(part);
        }
    }
}
