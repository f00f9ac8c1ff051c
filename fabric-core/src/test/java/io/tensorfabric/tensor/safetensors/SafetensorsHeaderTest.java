package io.tensorfabric.tensor.safetensors;

import static io.tensorfabric.tensor.safetensors.Vectors.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class SafetensorsHeaderTest {

    private static final String TWO = entry("a", "F32", "[1]", "[0,4]") + "," + entry("b", "U8", "[2]", "[4,6]");

    static Stream<Arguments> wrongLayouts() {
        return Stream.of(
                Arguments.of("empty", "", 0),
                Arguments.of("one brace", "{", 0),
                Arguments.of("array", "[]", 0),
                Arguments.of("string", "\"x\"", 0),
                Arguments.of("null", "null", 0),
                Arguments.of("byte order mark", "\uFEFF{}", 0),
                Arguments.of("NUL padding", "{}\0\0", 0),
                Arguments.of("trailing junk", "{}x", 0),
                Arguments.of("second object", "{}{}", 0),
                Arguments.of("bytes after the data", "{" + TWO + "}", 7),
                Arguments.of("bytes missing", "{" + TWO + "}", 5),
                Arguments.of(
                        "hole",
                        "{" + entry("a", "U8", "[4]", "[0,4]") + "," + entry("b", "U8", "[4]", "[8,12]") + "}",
                        12),
                Arguments.of("hole at the start", "{" + entry("a", "U8", "[4]", "[4,8]") + "}", 8),
                Arguments.of(
                        "overlap",
                        "{" + entry("a", "U8", "[4]", "[0,4]") + "," + entry("b", "U8", "[4]", "[0,4]") + "}",
                        4),
                Arguments.of(
                        "partial overlap",
                        "{" + entry("a", "U8", "[4]", "[0,4]") + "," + entry("b", "U8", "[4]", "[2,6]") + "}",
                        6),
                Arguments.of(
                        "same name twice",
                        "{" + entry("a", "U8", "[0]", "[0,0]") + "," + entry("a", "U8", "[0]", "[0,0]") + "}",
                        0),
                Arguments.of(
                        "same name twice, escaped",
                        "{" + entry("a", "U8", "[0]", "[0,0]") + "," + entry("\\u0061", "U8", "[0]", "[0,0]") + "}",
                        0),
                Arguments.of("metadata twice", "{\"__metadata__\":{},\"__metadata__\":{}}", 0),
                Arguments.of("reversed", one("U8", "[4]", "[4,0]"), 4),
                Arguments.of("negative offset", one("U8", "[4]", "[-4,0]"), 4),
                Arguments.of("fractions as offsets", one("U8", "[4]", "[0.0,4.0]"), 4),
                Arguments.of("exponent as offset", one("U8", "[4]", "[0,4e0]"), 4),
                Arguments.of("string as offset", one("U8", "[4]", "[0,\"4\"]"), 4),
                Arguments.of("one offset", one("U8", "[4]", "[4]"), 4),
                Arguments.of("three offsets", one("U8", "[4]", "[0,4,4]"), 4),
                Arguments.of("offset 2^63", one("U8", "[4]", "[0,9223372036854775808]"), 4),
                Arguments.of("offset 2^64", one("U8", "[4]", "[0,18446744073709551616]"), 4),
                Arguments.of("range too short", one("F32", "[2]", "[0,4]"), 4),
                Arguments.of("range too long", one("F32", "[1]", "[0,8]"), 8),
                Arguments.of("a million claimed", one("F32", "[1000,1000]", "[0,4]"), 4));
    }

    static Stream<Arguments> wrongEntries() {
        return Stream.of(
                Arguments.of("negative dimension", one("U8", "[-1]", "[0,0]"), 0),
                Arguments.of("minus zero", one("U8", "[-0]", "[0,0]"), 0),
                Arguments.of("product overflows", one("U8", "[4294967296,4294967296]", "[0,0]"), 0),
                Arguments.of("product wraps to 4", one("U8", "[4611686018427387905,4]", "[0,4]"), 4),
                Arguments.of("bits overflow", one("U8", "[2305843009213693952]", "[0,0]"), 0),
                Arguments.of("dimension 1.0", one("U8", "[1.0]", "[0,1]"), 1),
                Arguments.of("shape null", one("U8", "null", "[0,1]"), 1),
                Arguments.of("shape a number", one("U8", "1", "[0,1]"), 1),
                Arguments.of("shape nested", one("U8", "[[1]]", "[0,1]"), 1),
                Arguments.of("rank 0 without element", one("U8", "[]", "[0,0]"), 0),
                Arguments.of("rank 33", one("U8", "[" + "1,".repeat(32) + "1]", "[0,1]"), 1),
                Arguments.of("unknown dtype", one("F31", "[1]", "[0,4]"), 4),
                Arguments.of("dtype in lower case", one("f32", "[1]", "[0,4]"), 4),
                Arguments.of("no dtype", "{\"a\":{\"shape\":[1],\"data_offsets\":[0,1]}}", 1),
                Arguments.of("no shape", "{\"a\":{\"dtype\":\"U8\",\"data_offsets\":[0,1]}}", 1),
                Arguments.of("no offsets", "{\"a\":{\"dtype\":\"U8\",\"shape\":[1]}}", 1),
                Arguments.of("entry null", "{\"a\":null}", 0),
                Arguments.of("entry a string", "{\"a\":\"U8\"}", 0),
                Arguments.of("entry an array", "{\"a\":[\"U8\",[1],[0,1]]}", 1),
                Arguments.of(
                        "field twice",
                        "{\"a\":{\"dtype\":\"U8\",\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}",
                        1),
                Arguments.of("metadata a number", "{\"__metadata__\":{\"a\":1}}", 0),
                Arguments.of("metadata nested", "{\"__metadata__\":{\"a\":{}}}", 0),
                Arguments.of("metadata a list", "{\"__metadata__\":[]}", 0),
                Arguments.of("metadata null", "{\"__metadata__\":null}", 0),
                Arguments.of("three half bytes", one("F4", "[1,3]", "[0,1]"), 1),
                Arguments.of("single quotes", "{'a':1}", 0),
                Arguments.of("trailing comma", "{" + TWO + ",}", 6),
                Arguments.of("comment", "{/* x */}", 0),
                Arguments.of("NaN", one("U8", "[NaN]", "[0,0]"), 0),
                Arguments.of("half a pair in a name", "{" + entry("\\ud83d", "U8", "[0]", "[0,0]") + "}", 0),
                Arguments.of("half a pair in metadata", "{\"__metadata__\":{\"a\":\"\\udc00\"}}", 0),
                Arguments.of("newline in a string", "{" + entry("a\nb", "U8", "[0]", "[0,0]") + "}", 0),
                Arguments.of("leading zero", one("U8", "[01]", "[0,1]"), 1),
                Arguments.of("plus sign", one("U8", "[+1]", "[0,1]"), 1),
                Arguments.of("hexadecimal", one("U8", "[0x1]", "[0,1]"), 1),
                Arguments.of("a thousand digits", one("U8", "[" + "9".repeat(2000) + "]", "[0,1]"), 1),
                Arguments.of("deep nesting", "{\"a\":{\"x\":" + "[".repeat(100_000) + "}}", 0),
                Arguments.of("name of 1025 bytes", "{" + entry("n".repeat(1025), "U8", "[0]", "[0,0]") + "}", 0));
    }

    private static String one(String dtype, String shape, String offsets) {
        return "{" + entry("a", dtype, shape, offsets) + "}";
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource({"wrongLayouts", "wrongEntries"})
    void whenHeaderIsWrongThenOneDocumentedException(String name, String header, int dataBytes) {
        assertThatThrownBy(() -> Vectors.parse(Vectors.file(header, dataBytes)))
                .isExactlyInstanceOf(SafetensorsFormatException.class)
                .hasMessageMatching("(?s)[A-Z].{10,600}");
    }

    @ParameterizedTest
    @ValueSource(longs = {60, 1000, 100_000_001, 1L << 40, Long.MAX_VALUE, Long.MIN_VALUE, -1, -9})
    void whenLengthIsWrongThenRefusedBeforeAnythingIsRead(long length) {
        byte[] file = Vectors.prefixed(length, new byte[] {'{', '}'}, 0);
        assertThatThrownBy(() -> Vectors.parse(file))
                .isExactlyInstanceOf(SafetensorsFormatException.class)
                .hasMessageContaining("Header length " + Long.toUnsignedString(length));
        assertThatThrownBy(() -> SafetensorsHeader.read(new ByteArrayInputStream(file), -1))
                .isExactlyInstanceOf(SafetensorsFormatException.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7})
    void whenShorterThanThePrefixThenRefused(int length) {
        assertThatThrownBy(() -> Vectors.parse(new byte[length])).isExactlyInstanceOf(SafetensorsFormatException.class);
    }

    @Test
    void whenNotUtf8ThenRefused() {
        for (int[] bad : new int[][] {{0xff}, {0xc0, 0x80}, {0xed, 0xa0, 0x80}, {0xf5, 0x80, 0x80, 0x80}, {0xe4}}) {
            byte[] header = "{\"__metadata__\":{\"a\":\"????\"}}".getBytes(StandardCharsets.UTF_8);
            for (int i = 0; i < bad.length; i++) {
                header[21 + i] = (byte) bad[i];
            }
            assertThatThrownBy(() -> Vectors.parse(Vectors.file(header, 0)))
                    .isExactlyInstanceOf(SafetensorsFormatException.class)
                    .hasMessageContaining("UTF-8");
        }
        byte[] utf16 = "{}".getBytes(StandardCharsets.UTF_16LE);
        assertThatThrownBy(() -> Vectors.parse(Vectors.file(utf16, 0)))
                .isExactlyInstanceOf(SafetensorsFormatException.class);
    }

    @Test
    void whenHeaderIsRightThenEntriesComeInTheOrderOfTheirBytes() throws IOException {
        String header = " \t\r\n{" + entry("z", "F32", "[]", "[3,7]") + ",\"__metadata__\":{\"k\":\"v\"},"
                + entry("e", "F32", "[1,8,0]", "[3,3]") + "," + entry("", "BOOL", "[3]", "[0,3]")
                + "}\r\n\t ";
        SafetensorsHeader parsed = Vectors.parse(Vectors.file(header, 7));
        assertThat(parsed.entries()).extracting(SafetensorsEntry::name).containsExactly("", "e", "z");
        assertThat(parsed.metadata()).containsExactly(Map.entry("k", "v"));
        assertThat(parsed.dataBytes()).isEqualTo(7);
        assertThat(parsed.dataStart()).isEqualTo(8 + header.length());
        assertThat(parsed.find("z")).hasValueSatisfying(entry -> {
            assertThat(entry.descriptor().shape()).isEqualTo(Shape.scalar());
            assertThat(entry.descriptor().dataType()).isEqualTo(DataType.F32);
            assertThat(entry.byteLength()).isEqualTo(4);
        });
        assertThat(parsed.find("y")).isEmpty();
    }

    @Test
    void whenEntryHasUnknownFieldsThenTheyAreIgnored() throws IOException {
        String header =
                "{\"a\":{\"x\":{\"dtype\":[1]},\"dtype\":\"U8\",\"y\":null,\"shape\":[1],\"data_offsets\":[0,1]}}";
        assertThat(Vectors.parse(Vectors.file(header, 1)).entries()).hasSize(1);
    }

    @Test
    void whenNameIsAnEscapedEmojiThenDecoded() throws IOException {
        String header = "{" + entry("\\ud83d\\ude00/../x", "U8", "[0]", "[0,0]") + ","
                + entry("\uD83D\uDE01", "U8", "[0]", "[0,0]") + "}";
        assertThat(Vectors.parse(Vectors.file(header, 0)).byName()).containsKeys("\uD83D\uDE00/../x", "\uD83D\uDE01");
    }

    @Test
    void whenHeaderLengthIsNearABufferBoundaryThenNothingIsCutOff() throws IOException {
        String tensors = IntStream.range(0, 852)
                .mapToObj(i -> entry("layer." + i + ".weight", "U8", "[1]", "[" + i + "," + (i + 1) + "]"))
                .reduce((left, right) -> left + "," + right)
                .orElseThrow();
        String body = "{" + tensors + "}";
        IntStream all = IntStream.of(100_000, 65_540, 1 << 20)
                .flatMap(middle -> IntStream.rangeClosed(middle - 10, middle + 10));
        for (int length : all.toArray()) {
            SafetensorsHeader header = Vectors.parse(Vectors.file(body + " ".repeat(length - body.length()), 852));
            assertThat(header.entries()).hasSize(852);
            for (int i = 0; i < 852; i++) {
                SafetensorsEntry entry = header.entries().get(i);
                assertThat(entry.name()).isEqualTo("layer." + i + ".weight");
                assertThat(entry.begin()).isEqualTo(i);
            }
        }
    }

    @Test
    void whenSenderIsNotTrustedThenALowerLimitHolds() {
        byte[] file = Vectors.file("{}" + " ".repeat(1000), 0);
        assertThatThrownBy(() -> SafetensorsHeader.read(new ByteArrayInputStream(file), file.length, 1000))
                .isExactlyInstanceOf(SafetensorsFormatException.class)
                .hasMessageContaining("1002")
                .hasMessageContaining("maximum of 1000");
    }
}
