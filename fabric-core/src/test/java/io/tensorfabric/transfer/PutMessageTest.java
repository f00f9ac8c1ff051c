package io.tensorfabric.transfer;

import static io.tensorfabric.transfer.ProtocolExamples.body;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PutMessageTest {

    private static final PutMessage EXAMPLE =
            new PutMessage(9, 1, ReceiptLevel.PROCESSED, true, 0xdeadbeef, 3, 4096, 12);

    @Test
    void whenTheExampleIsReadThenItSaysWhatThePageSays() throws IOException {
        assertThat(PutMessage.read(body(ProtocolExamples.bytes("put")))).isEqualTo(EXAMPLE);
    }

    @Test
    void whenTheExampleIsWrittenThenItIsThatOfThePage() throws IOException {
        ByteBuffer body = ProtocolExamples.empty();
        PushOptions options = PushOptions.defaults().withChecksum(true).withReceipt(ReceiptLevel.PROCESSED);
        PutMessage.write(body, 9, 1, options, 0xdeadbeef, 3, 4096, 12);
        assertThat(ProtocolExamples.written(body)).isEqualTo(ProtocolExamples.bytes("put"));
    }

    /** One byte of the example is another. */
    @ParameterizedTest
    @CsvSource({
        "8, 0, attempt 0",
        "10, 3, unknown flags",
        "11, 1, unknown flags",
        "10, 0, checksum without its flag",
        "12, 3, unknown receipt",
        "13, 1, nothing is defined",
        "14, 1, nothing is defined",
        "15, 1, nothing is defined",
        "31, 128, negative range",
        "39, 128, negative range",
    })
    void whenAFieldIsWrongThenTheMessageIsRefused(int at, int value, String why) throws IOException {
        byte[] bytes = ProtocolExamples.bytes("put");
        bytes[at] = (byte) value;
        assertThatThrownBy(() -> PutMessage.read(body(bytes)))
                .isInstanceOf(ProtocolViolation.class)
                .hasMessageContaining(why);
    }

    @Test
    void whenItIsTooShortOrTooLongThenTheMessageIsRefused() throws IOException {
        byte[] bytes = ProtocolExamples.bytes("put");
        for (int length : new int[] {0, 39, 41}) {
            assertThatThrownBy(() -> PutMessage.read(body(Arrays.copyOf(bytes, length))))
                    .isInstanceOf(ProtocolViolation.class);
        }
    }
}
