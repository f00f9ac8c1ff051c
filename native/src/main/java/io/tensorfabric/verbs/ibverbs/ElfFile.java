package io.tensorfabric.verbs.ibverbs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A look at a library before it is loaded: the dynamic loader's own words on a wrong file help little, and a file that is
 * cut off can crash the process. From the ELF-64 header, {@code elf(5)}.
 */
final class ElfFile {

    private static final int HEADER = 64;

    private static final int MAGIC = 0x464c457f;

    private static final int CLASS_64 = 2;

    private static final int OFFSET_CLASS = 4;

    private static final int OFFSET_MACHINE = 18;

    private static final int OFFSET_SECTIONS = 40;

    private static final int OFFSET_SECTION_SIZE = 58;

    private static final int OFFSET_SECTION_COUNT = 60;

    private static final int MACHINE_X86_64 = 62;

    private static final int MACHINE_AARCH64 = 183;

    private ElfFile() {}

    /** Why the file cannot be loaded on a platform of {@link NativePlatform}, {@code null} when it seems right. */
    static @Nullable String problem(Path file, String platform) {
        ByteBuffer header = ByteBuffer.allocate(HEADER).order(ByteOrder.LITTLE_ENDIAN);
        long size;
        try (SeekableByteChannel channel = Files.newByteChannel(file)) {
            size = channel.size();
            while (header.hasRemaining() && channel.read(header) >= 0) {
                // Reads on until the header is full or the file ends.
            }
        } catch (IOException ex) {
            return "it cannot be read: " + ex;
        }
        if (header.hasRemaining()) {
            return "it has only " + size + " bytes";
        }
        return problem(header, size, platform);
    }

    private static @Nullable String problem(ByteBuffer header, long size, String platform) {
        if (header.getInt(0) != MAGIC || header.get(OFFSET_CLASS) != CLASS_64) {
            return "it is no 64-bit ELF library";
        }
        String processor = processor(header.getShort(OFFSET_MACHINE));
        if (!platform.endsWith("-" + processor)) {
            return "it is for " + processor + ", and this is " + platform;
        }
        long end = header.getLong(OFFSET_SECTIONS)
                + (long) header.getShort(OFFSET_SECTION_SIZE) * header.getShort(OFFSET_SECTION_COUNT);
        return end > size ? "it is cut off: " + size + " bytes of at least " + end : null;
    }

    private static String processor(int machine) {
        return switch (machine) {
            case MACHINE_X86_64 -> "x86_64";
            case MACHINE_AARCH64 -> "aarch64";
            default -> "ELF machine " + machine;
        };
    }
}
