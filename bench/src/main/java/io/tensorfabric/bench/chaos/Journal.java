package io.tensorfabric.bench.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * What one start of a node notes. Each event is handed to the kernel before {@link #add} returns, so that it is there
 * after the process was killed. Thread-safe.
 */
final class Journal implements AutoCloseable {

    private final FileChannel channel;

    Journal(Path file) throws IOException {
        channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }

    synchronized void add(Event event) {
        ByteBuffer line = ByteBuffer.wrap((event.line() + "\n").getBytes(StandardCharsets.UTF_8));
        try {
            while (line.hasRemaining()) {
                channel.write(line);
            }
        } catch (IOException ex) {
            throw new UncheckedIOException("Cannot note " + event, ex);
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    /** All whole lines of a journal; the last one may be cut short by a kill. */
    static List<Event> read(Path file) throws IOException {
        if (!Files.exists(file)) {
            return List.of();
        }
        String text = Files.readString(file);
        List<Event> events = new ArrayList<>();
        text.substring(0, text.lastIndexOf('\n') + 1).lines().forEach(line -> events.add(Event.parse(line)));
        return events;
    }
}
