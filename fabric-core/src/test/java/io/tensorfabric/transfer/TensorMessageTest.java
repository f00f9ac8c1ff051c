package io.tensorfabric.transfer;

import static io.tensorfabric.transfer.ProtocolExamples.body;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.TensorDescriptor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class TensorMessageTest {

    private static final TensorDescriptor XY = new TensorDescriptor("x/y", DataType.BF16, Shape.of(2, 3));

    private final TensorMessage message = new TensorMessage();

    @Test
    void theRecordedTensorIsRead() throws IOException {
        message.read(body(ProtocolExamples.bytes("tensor")));
        assertThat(message.transferId()).isEqualTo(7);
        assertThat(message.attempt()).isEqualTo(1);
        assertThat(message.checksummed()).isTrue();
        assertThat(message.checksum()).isEqualTo(0xdeadbeef);
        assertThat(message.wanted()).isEqualTo(ReceiptLevel.ACCEPTED);
        assertThat(message.zoneId()).isEqualTo(1);
        assertThat(message.offset()).isEqualTo(4096);
        assertThat(message.length()).isEqualTo(12);
        assertThat(message.descriptor()).isEqualTo(XY);
        assertThat(message.headers()).isEqualTo(Map.of("k", "v"));
    }

    @Test
    void theRecordedTensorIsWritten() throws IOException {
        ByteBuffer body = ProtocolExamples.empty();
        PushOptions options = PushOptions.defaults().withChecksum(true).withHeaders(Map.of("k", "v"));
        TensorMessage.write(body, 7, 1, options, LandingKind.ANY, 0xdeadbeef, 1, 4096, XY);
        assertThat(ProtocolExamples.written(body)).isEqualTo(ProtocolExamples.bytes("tensor"));
        ByteBuffer second = ProtocolExamples.empty();
        TensorDescriptor e = new TensorDescriptor("e", DataType.F32, Shape.of(0));
        PushOptions placed = PushOptions.defaults().withReceipt(ReceiptLevel.PLACED);
        TensorMessage.write(second, 1, 2, placed, LandingKind.ANY, 99, 0, 0, e);
        assertThat(ProtocolExamples.written(second)).isEqualTo(ProtocolExamples.bytes("empty"));
    }

    @Test
    void theRecordedTensorOfAGroupIsReadAndWritten() throws IOException {
        message.read(body(ProtocolExamples.bytes("group")));
        assertThat(message.group()).isEqualTo(new TensorGroup(6, 3));
        ByteBuffer body = ProtocolExamples.empty();
        TensorDescriptor e = new TensorDescriptor("e", DataType.F32, Shape.of(0));
        TensorMessage.write(body, 7, 1, PushOptions.defaults(), LandingKind.ANY, 0, 0, 0, e);
        TensorMessage.addGroup(body, 0, new TensorGroup(6, 3));
        assertThat(ProtocolExamples.written(body)).isEqualTo(ProtocolExamples.bytes("group"));
        message.read(body(ProtocolExamples.bytes("empty")));
        assertThat(message.group()).isNull();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, -1, TensorGroup.MAX_SIZE + 1})
    void whenAGroupHasNoProperSizeThenTheMessageIsRefused(int size) throws IOException {
        byte[] bytes = ProtocolExamples.bytes("group");
        ByteBuffer body = body(bytes);
        body.putInt(bytes.length - Integer.BYTES, size);
        assertThatThrownBy(() -> message.read(body)).isInstanceOf(ProtocolViolation.class);
    }

    @Test
    void whenAMessageEndsBeforeItsGroupThenItIsRefused() throws IOException {
        byte[] bytes = ProtocolExamples.bytes("group");
        ByteBuffer body = body(Arrays.copyOf(bytes, bytes.length - 1));
        assertThatThrownBy(() -> message.read(body)).isInstanceOf(ProtocolViolation.class);
    }

    @ParameterizedTest
    @EnumSource(LandingKind.class)
    void whenAKindOfMemoryIsAskedForThenItSurvivesBesideTheChecksum(LandingKind asked) {
        for (boolean checksum : new boolean[] {false, true}) {
            ByteBuffer body = ProtocolExamples.empty();
            PushOptions options = PushOptions.defaults().withChecksum(checksum);
            TensorMessage.write(body, 1, 1, options, asked, 5, 0, 0, XY);
            message.read(body.flip());
            assertThat(message.landing()).isEqualTo(asked);
            assertThat(message.checksummed()).isEqualTo(checksum);
        }
    }

    @Test
    void everyTypeAndRankSurvives() {
        for (DataType type : DataType.values()) {
            for (long[] dims : new long[][] {{}, {0}, {8}, {3, 0, 8}, {1, 8, 0, 128}, new long[32]}) {
                Shape shape = Shape.of(dims);
                if (shape.elementCount() * type.bits() % 8 != 0) {
                    continue;
                }
                TensorDescriptor descriptor = new TensorDescriptor("näme/\ud83d\ude00" + dims.length, type, shape);
                for (int again = 0; again < 2; again++) {
                    message.read(written(descriptor, Map.of()));
                    assertThat(message.descriptor()).isEqualTo(descriptor);
                }
            }
        }
    }

    @Test
    void theLongestMessageFits() {
        TensorDescriptor descriptor =
                new TensorDescriptor("\ud83d\ude00".repeat(256), DataType.U8, Shape.of(new long[32]));
        Map<String, String> headers = new HashMap<>();
        for (int i = 0; i < 64; i++) {
            headers.put("%04d".formatted(i), "v".repeat(28));
        }
        assertThatCode(() -> TensorMessage.checkHeaders(headers, 2048)).doesNotThrowAnyException();
        message.read(written(descriptor, headers));
        assertThat(message.headers()).isEqualTo(headers);
        assertThat(message.descriptor()).isEqualTo(descriptor);
    }

    @Test
    void headersThatDoNotFitAreRefusedBeforeThePush() {
        assertThatThrownBy(() -> TensorMessage.checkHeaders(Map.of("k", "v".repeat(2048)), 2048))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> TensorMessage.checkHeaders(Map.of("k", "\ud83d"), 2048))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void whenAMessageEndsEarlyOrLateThenItIsRefused() throws IOException {
        byte[] good = ProtocolExamples.bytes("tensor");
        for (int length = 0; length < good.length; length++) {
            ByteBuffer shorter = body(good).limit(length);
            assertThatThrownBy(() -> message.read(shorter)).isInstanceOf(ProtocolViolation.class);
        }
        byte[] longer = java.util.Arrays.copyOf(good, good.length + 1);
        assertThatThrownBy(() -> message.read(body(longer))).isInstanceOf(ProtocolViolation.class);
    }

    @Test
    void whenAFieldIsWrongThenTheMessageIsRefused() {
        refused(b -> b.putShort(8, (short) 0));
        refused(b -> b.putShort(10, (short) 7));
        refused(b -> b.putShort(10, (short) 9));
        refused(b -> b.putShort(10, (short) 0));
        refused(b -> b.put(12, (byte) 3));
        refused(b -> b.put(13, (byte) 0));
        refused(b -> b.put(13, (byte) 23));
        refused(b -> b.put(13, (byte) 255));
        refused(b -> b.put(14, (byte) 33));
        refused(b -> b.put(15, (byte) 0));
        refused(b -> b.put(15, (byte) 2));
        refused(b -> b.putLong(24, -1));
        refused(b -> b.putLong(32, -1));
        refused(b -> b.putLong(32, 13));
        refused(b -> b.putLong(32, 1L << 62));
        refused(b -> b.putInt(40, 1));
        refused(b -> b.putShort(44, (short) 1025));
        refused(b -> b.putShort(44, (short) -1));
        refused(b -> b.putShort(46, (short) 65));
        refused(b -> b.putShort(46, (short) 2));
        refused(b -> b.putLong(48, -2));
        refused(b -> b.putLong(48, 1L << 62));
        refused(b -> b.put(64, (byte) 0xff));
        refused(b -> b.putShort(67, (short) 0x7fff));
        refused(b -> b.put(71, (byte) 0xc3));
    }

    @Test
    void whenAHeaderComesTwiceThenTheMessageIsRefused() {
        ByteBuffer body = written(XY, Map.of("k", "v"));
        ByteBuffer twice = ProtocolExamples.empty();
        twice.put(body.duplicate());
        twice.put(body.array(), body.limit() - 6, 6);
        twice.putShort(46, (short) 2).flip();
        assertThatThrownBy(() -> message.read(twice))
                .isInstanceOf(ProtocolViolation.class)
                .hasMessageContaining("twice");
    }

    @Test
    void whenBytesAreRandomThenNothingButARefusalHappens() throws IOException {
        Random random = new Random(5);
        byte[] good = ProtocolExamples.bytes("tensor");
        for (int i = 0; i < 50_000; i++) {
            byte[] bad = good.clone();
            for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
                bad[random.nextInt(bad.length)] = (byte) random.nextInt();
            }
            try {
                message.read(body(bad));
                assertThat(message.descriptor().byteLength()).isEqualTo(message.length());
            } catch (ProtocolViolation expected) {
                assertThat(expected).hasMessageNotContaining("null");
            }
        }
    }

    private void refused(Consumer<ByteBuffer> damage) {
        ByteBuffer body;
        try {
            body = body(ProtocolExamples.bytes("tensor"));
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        damage.accept(body);
        assertThatThrownBy(() -> message.read(body)).isInstanceOf(ProtocolViolation.class);
    }

    private static ByteBuffer written(TensorDescriptor descriptor, Map<String, String> headers) {
        ByteBuffer body = ProtocolExamples.empty();
        TensorMessage.write(
                body, 1, 1, PushOptions.defaults().withHeaders(headers), LandingKind.ANY, 0, 0, 0, descriptor);
        return body.flip();
    }
}
