package io.tensorfabric.service.demo;

import io.tensorfabric.tensor.safetensors.SafetensorsGenerator;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The file that the demo sends: a given one, or one that is made up and deleted at the end.
 *
 * @param path where it lies
 * @param temporary whether to delete it
 */
record DemoFile(Path path, boolean temporary) implements AutoCloseable {

    static final long LEAST_SIZE = 8 * 1024;

    private static final long SEED = 42;

    private static final int BUFFER = 1 << 20;

    static DemoFile of(DemoOptions options, PrintStream out) throws IOException {
        if (options.file() != null) {
            if (!Files.isReadable(options.file())) {
                throw new DemoFailure("cannot read " + options.file());
            }
            return new DemoFile(options.file(), false);
        }
        Path path = Files.createTempFile("tensor-fabric-demo", ".safetensors");
        DemoFile file = new DemoFile(path, true);
        try {
            out.println("generating a model-like file of " + options.size().toBytes() + " bytes");
            SafetensorsGenerator.generate(path, options.size().toBytes(), SEED);
            return file;
        } catch (IOException | RuntimeException ex) {
            file.close();
            throw ex;
        }
    }

    String name() {
        return temporary ? "generated.safetensors" : path.getFileName().toString();
    }

    long size() throws IOException {
        return Files.size(path);
    }

    InputStream open() throws IOException {
        return new BufferedInputStream(Files.newInputStream(path), BUFFER);
    }

    @Override
    public void close() throws IOException {
        if (temporary) {
            Files.deleteIfExists(path);
        }
    }
}
