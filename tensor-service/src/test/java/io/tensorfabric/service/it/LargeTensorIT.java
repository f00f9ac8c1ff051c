package io.tensorfabric.service.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.service.demo.TensorStreams;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A tensor of more bytes than an int counts, and many times the heap. */
class LargeTensorIT {

    private static final long BYTES = 3L << 30;

    private static final long NEEDED_KIB = 10L << 20;

    @TempDir
    Path folder;

    @Test
    void whenATensorOfThreeGibibytesIsPushedThenItArrivesWithAHeapOf256Megabytes() throws Exception {
        Assumptions.assumeTrue(
                availableKib() >= NEEDED_KIB, "skipped: a 3 GiB tensor at two services needs 10 GiB of free memory");
        Path file = sparseFile();
        String[] limits = {
            "--fabric.memory.host.max-size=4GB",
            "--fabric.landing.max-dedicated-size=4GB",
            "--fabric.landing.max-dedicated-size-per-peer=4GB",
            "--tensor-service.store.max-size=3500MB"
        };
        try (TwoServices services = TwoServices.start(folder, limits)) {
            services.push(services.upload("large", file));

            assertThat(services.b().text("/api/files?peer=a")).contains("\"bytes\":" + BYTES);
            try (InputStream sent = Files.newInputStream(file);
                    InputStream arrived = services.b().download(services.received("large"))) {
                assertThat(TensorStreams.hashes(arrived)).isEqualTo(TensorStreams.hashes(sent));
            }
        }
    }

    private Path sparseFile() throws IOException {
        byte[] header = ("{\"t\":{\"dtype\":\"U8\",\"shape\":[" + BYTES + "],\"data_offsets\":[0," + BYTES + "]}}")
                .getBytes(StandardCharsets.UTF_8);
        Path file = folder.resolve("large.safetensors");
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, StandardOpenOption.SPARSE)) {
            ByteBuffer start = ByteBuffer.allocate(8 + header.length).order(ByteOrder.LITTLE_ENDIAN);
            channel.write(start.putLong(header.length).put(header).flip());
            long data = 8 + header.length;
            channel.write(bytes(0xEE), data + Integer.MAX_VALUE);
            channel.write(bytes(0x11, 0x12, 0x13, 0x14, 0x15), data + BYTES - 5);
        }
        return file;
    }

    private static ByteBuffer bytes(int... values) {
        ByteBuffer buffer = ByteBuffer.allocate(values.length);
        for (int value : values) {
            buffer.put((byte) value);
        }
        return buffer.flip();
    }

    private static long availableKib() throws IOException {
        return Files.readAllLines(Path.of("/proc/meminfo")).stream()
                .filter(line -> line.startsWith("MemAvailable:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                .findFirst()
                .orElse(0);
    }
}
