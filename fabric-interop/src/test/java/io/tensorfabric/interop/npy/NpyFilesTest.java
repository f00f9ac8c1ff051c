package io.tensorfabric.interop.npy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Floats;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class NpyFilesTest {

    private static final String F32_2X3 = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";

    @TempDir
    private Path folder;

    @Test
    void whenATensorIsWrittenThenTheFileIsWhatNumpyWrites() throws IOException {
        Path file = folder.resolve("a.npy");
        try (Tensor tensor = Floats.tensor("a", DataType.F32, Shape.of(2, 3), 1, 2, 3, 4, 5, 6)) {
            NpyFiles.write(tensor, file);
        }

        byte[] bytes = Files.readAllBytes(file);
        // numpy.save of the same array: 128 bytes of header, since 10 + 59 + 1 are more than 64
        assertThat(new String(bytes, 0, 128, StandardCharsets.ISO_8859_1))
                .isEqualTo("\u0093NUMPY\u0001\u0000v\u0000" + F32_2X3 + " ".repeat(128 - 10 - F32_2X3.length() - 1)
                        + "\n");
        assertThat(bytes).hasSize(128 + 24);
        assertThat(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getFloat(148))
                .isEqualTo(6);
    }

    @ParameterizedTest
    @EnumSource(
            value = DataType.class,
            names = {"BOOL", "U8", "I8", "U16", "I16", "U32", "I32", "U64", "I64", "F16", "F32", "F64", "C64"})
    void whenATypeOfNumpyIsWrittenThenItIsReadAgain(DataType type) throws IOException {
        byte[] bytes = new byte[(int) type.byteLength(10)];
        new Random(type.code()).nextBytes(bytes);
        Path file = folder.resolve(type + ".npy");
        try (Tensor tensor = Tensor.copyOf("t", type, Shape.of(5, 2), bytes)) {
            NpyFiles.write(tensor, file);
        }
        try (Tensor read = NpyFiles.read("again", file)) {
            assertThat(read.descriptor().toString()).contains("again", type.name(), "[5, 2]");
            assertThat(contents(read)).isEqualTo(bytes);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"BF16", "F8_E4M3", "F4"})
    void whenNumpyHasNoSuchTypeThenNothingIsWritten(String name) {
        DataType type = DataType.valueOf(name);
        Path file = folder.resolve("none.npy");
        try (Tensor tensor = Tensor.copyOf("w", type, Shape.of(8), new byte[(int) type.byteLength(8)])) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> NpyFiles.write(tensor, file))
                    .withMessageContainingAll(name, "'w'", "safetensors");
        }
        assertThat(file).doesNotExist();
    }

    @Test
    void whenElementsAreBigEndianThenTheyAreTurnedRound() throws IOException {
        try (Tensor f64 =
                        read(file(1, "{'descr':'>f8','fortran_order':False,'shape':(1,)}", big(8).putDouble(0, 1.5)));
                Tensor i16 = read(file(
                        1, "{'descr':'>i2','fortran_order':False,'shape':(1,)}", big(2).putShort(0, (short) 259)));
                Tensor u8 =
                        read(file(1, "{'descr':'>u1','fortran_order':False,'shape':(1,)}", big(1).put(0, (byte) 7)));
                Tensor c64 = read(file(
                        1,
                        "{'descr':'>c8','fortran_order':False,'shape':()}",
                        big(8).putFloat(0, 2).putFloat(4, -3)))) {
            assertThat(little(f64).getDouble(0)).isEqualTo(1.5);
            assertThat(little(i16).getShort(0)).isEqualTo((short) 259);
            assertThat(little(u8).get(0)).isEqualTo((byte) 7);
            assertThat(little(c64).getFloat(0)).isEqualTo(2);
            assertThat(little(c64).getFloat(4)).isEqualTo(-3);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void whenAVersionIsKnownThenItsHeaderIsRead(int version) throws IOException {
        try (Tensor tensor = read(file(version, F32_2X3, big(24)))) {
            assertThat(tensor.shape()).isEqualTo(Shape.of(2, 3));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'descr': '<i8', 'fortran_order': False, 'shape': (), }|[]",
                "{\"shape\": (1,), 'fortran_order': True, 'descr': '<i8'}|[1]",
                "{'descr': '<i8', 'fortran_order': False, 'shape': (1L, 1L), }|[1, 1]",
                "{'descr': '<i8', 'fortran_order': False, 'shape': (0, 5), }|[0, 5]",
            })
    void whenAHeaderIsSpelledOtherwiseThenItIsReadAllTheSame(String header, String shape) throws IOException {
        ByteBuffer elements = shape.contains("0") ? big(0) : big(8);
        try (Tensor tensor = read(file(1, header, elements))) {
            assertThat(tensor.shape()).hasToString(shape);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }|Fortran",
                "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }|fields",
                "{'descr': '|O', 'fortran_order': False, 'shape': (2,), }|O' have no place",
                "{'descr': '<U3', 'fortran_order': False, 'shape': (2,), }|'<U3'",
                "{'descr': '<f16', 'fortran_order': False, 'shape': (2,), }|'<f16'",
                "{'descr': '|f4', 'fortran_order': False, 'shape': (2,), }|f4' have no place",
                "{'descr': '=f4', 'fortran_order': False, 'shape': (2,), }|'=f4'",
                "{'descr': '', 'fortran_order': False, 'shape': (2,), }|type ''",
                "{'descr': '<f4', 'fortran_order': False, 'shape': (6), }|tuple",
                "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }|extent",
                "{'descr': '<f4', 'fortran_order': False, 'shape': (2 3), }|comma",
                "{'descr': '<f4', 'fortran_order': False, 'shape': (9999999999999999999,), }|extent",
                "{'descr': '<f4', 'fortran_order': False, 'shape': (999999999999, 999999999999), }|shape",
                "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3}|expected",
                "{'descr': '<f4', 'fortran_order': false, 'shape': (2, 3), }|True or False",
                "{'descr': '<f4', 'shape': (2, 3), }|lacks",
                "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }|twice",
                "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), 'x': 1}|none of",
                "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), } __import__('os')|after",
                "{'descr': '\\u003cf4', 'fortran_order': False, 'shape': (2, 3), }|escapes",
                "[]|expected '{'",
                "{|expected",
            })
    void whenAHeaderIsNotOneOfAPlainArrayThenTheMessageSaysWhy(String line) {
        String header = line.substring(0, line.lastIndexOf('|'));
        String message = line.substring(line.lastIndexOf('|') + 1);

        assertThatExceptionOfType(NpyFormatException.class)
                .isThrownBy(() -> read(file(1, header, big(24))))
                .withMessageContaining(message);
    }

    @ParameterizedTest
    @CsvSource({
        "f4, F32, '[2, 3]', 0000803f0000004000004040000080400000a0400000c040",
        "big, I32, [3], 01000000feffffff03000000",
        "scalar, F64, [], 0000000000000440",
        "bool, BOOL, [3], 010001",
        "complex, C64, [1], 0000803f000080bf",
        "empty, I64, '[0, 5]', ''",
        "v2, U16, [4], 0000010002000300",
        "v3, U16, [4], 0000010002000300",
    })
    void whenNumpyWroteAFileThenItIsRead(String file, DataType type, String shape, String bytes) throws IOException {
        try (Tensor tensor = NpyFiles.read(file, numpys(file))) {
            assertThat(tensor.dataType()).isEqualTo(type);
            assertThat(tensor.shape()).hasToString(shape);
            assertThat(HexFormat.of().formatHex(contents(tensor))).isEqualTo(bytes);
        }
    }

    @ParameterizedTest
    @CsvSource({"fortran, Fortran", "fields, fields", "text, <U2"})
    void whenNumpyWroteWhatIsNoTensorThenTheMessageSaysWhy(String file, String reason) {
        assertThatExceptionOfType(NpyFormatException.class)
                .isThrownBy(() -> NpyFiles.read(file, numpys(file)))
                .withMessageContainingAll(file + ".npy", reason);
    }

    /** Written by numpy.save of NumPy 2.4.6, v2 and v3 by numpy.lib.format.write_array. */
    private static Path numpys(String file) {
        return Path.of("src/test/resources/npy", file + ".npy");
    }

    @Test
    void whenAFileIsOfAnotherKindThenTheMessageSaysSo() {
        assertThatExceptionOfType(NpyFormatException.class)
                .isThrownBy(() -> read("PK\u0003\u0004 an archive".getBytes(StandardCharsets.ISO_8859_1)))
                .withMessageContaining("no NumPy file");
        assertThatExceptionOfType(NpyFormatException.class)
                .isThrownBy(() -> read(file(4, F32_2X3, big(24))))
                .withMessageContaining("4.0");
        byte[] huge = file(2, F32_2X3, big(24));
        ByteBuffer.wrap(huge).order(ByteOrder.LITTLE_ENDIAN).putInt(8, -1);
        assertThatExceptionOfType(NpyFormatException.class)
                .isThrownBy(() -> read(huge))
                .withMessageContaining("4294967295");
    }

    @Test
    void whenAFileIsCutOffAnywhereThenItIsRefusedAndNothingIsKept() throws IOException {
        byte[] whole = file(1, F32_2X3, big(24));
        long before = OffHeap.allocatedBytes();
        for (int length = 0; length < whole.length; length++) {
            byte[] cut = java.util.Arrays.copyOf(whole, length);
            assertThatExceptionOfType(IOException.class).isThrownBy(() -> read(cut));
            Path file = Files.write(folder.resolve("cut.npy"), cut);
            assertThatExceptionOfType(EOFException.class)
                    .isThrownBy(() -> NpyFiles.read("cut", file))
                    .withMessageContaining("cut.npy");
        }
        assertThat(OffHeap.allocatedBytes()).isEqualTo(before);
    }

    @Test
    void whenMoreFollowsTheArrayThenAFileIsRefusedAndAChannelGoesOn() throws IOException {
        ByteArrayOutputStream two = new ByteArrayOutputStream();
        two.writeBytes(file(1, F32_2X3, big(24)));
        two.writeBytes(file(2, "{'descr':'|u1','fortran_order':False,'shape':(1,)}", big(1).put(0, (byte) 9)));
        Path file = Files.write(folder.resolve("two.npy"), two.toByteArray());

        assertThatExceptionOfType(NpyFormatException.class)
                .isThrownBy(() -> NpyFiles.read("two", file))
                .withMessageContaining("several arrays");
        ReadableByteChannel channel = Channels.newChannel(new ByteArrayInputStream(two.toByteArray()));
        try (Tensor first = NpyFiles.read("first", channel, 1000);
                Tensor second = NpyFiles.read("second", channel, 1000)) {
            assertThat(first.byteLength()).isEqualTo(24);
            assertThat(second.asByteBuffer().get(0)).isEqualTo((byte) 9);
        }
    }

    @Test
    void whenAnArrayIsLargerThanAcceptedThenNoMemoryIsTaken() {
        byte[] claim = file(1, "{'descr':'<f8','fortran_order':False,'shape':(100000000000,)}", big(8));
        long before = OffHeap.allocatedBytes();

        assertThatExceptionOfType(NpyFormatException.class)
                .isThrownBy(() -> read(claim))
                .withMessageContaining("800000000000");
        assertThat(OffHeap.allocatedBytes()).isEqualTo(before);
    }

    @Test
    void whenBytesOfAHeaderChangeThenItIsReadOrRefusedAndNothingElse() throws IOException {
        byte[] valid = file(1, F32_2X3, big(24));
        Random random = new Random(20_26);
        int refused = 0;
        for (int round = 0; round < 20_000; round++) {
            byte[] changed = valid.clone();
            for (int i = random.nextInt(4); i >= 0; i--) {
                changed[random.nextInt(128)] = (byte) random.nextInt(256);
            }
            try {
                read(changed).close();
            } catch (NpyFormatException | EOFException e) {
                assertThat(e).hasMessageMatching("[ -~]+");
                refused++;
            }
        }
        assertThat(refused).isBetween(1000, 19_999);
    }

    private static Tensor read(byte[] bytes) throws IOException {
        return NpyFiles.read("t", Channels.newChannel(new ByteArrayInputStream(bytes)), 1 << 20);
    }

    private static byte[] file(int version, String header, ByteBuffer elements) {
        int size = version == 1 ? 10 : 12;
        int length = 128 - size;
        ByteBuffer file = ByteBuffer.allocate(128 + elements.capacity()).order(ByteOrder.LITTLE_ENDIAN);
        file.put((byte) 0x93).put("NUMPY".getBytes(StandardCharsets.US_ASCII));
        file.put((byte) version).put((byte) 0);
        if (version == 1) {
            file.putShort((short) length);
        } else {
            file.putInt(length);
        }
        file.put((header + " ".repeat(length - 1 - header.length()) + "\n").getBytes(StandardCharsets.ISO_8859_1));
        return file.put(elements.array()).array();
    }

    private static ByteBuffer big(int bytes) {
        return ByteBuffer.allocate(bytes);
    }

    private static ByteBuffer little(Tensor tensor) {
        return tensor.asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
    }

    private static byte[] contents(Tensor tensor) {
        byte[] bytes = new byte[(int) tensor.byteLength()];
        tensor.asByteBuffer().get(bytes);
        return bytes;
    }
}
