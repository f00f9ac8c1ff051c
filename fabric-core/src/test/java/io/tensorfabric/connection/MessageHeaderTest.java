package io.tensorfabric.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class MessageHeaderTest {

    private final ByteBuffer slot = ByteBuffer.allocate(MessageHeader.SLOT).order(ByteOrder.LITTLE_ENDIAN);

    @BeforeEach
    void write() {
        MessageHeader.write(slot, 0x40, 0xfffe, 100, 7);
    }

    @Test
    void whenWrittenThenItReadsBackAndIsLittleEndian() {
        assertThat(MessageHeader.objection(slot, 116, 7)).isNull();
        assertThat(MessageHeader.type(slot)).isEqualTo(0x40);
        assertThat(MessageHeader.credits(slot)).isEqualTo(0xfffe);
        assertThat(MessageHeader.bodyLength(slot)).isEqualTo(100);
        byte[] header = new byte[16];
        slot.get(0, header);
        assertThat(header).containsExactly(1, 0x40, 0xfe, 0xff, 100, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0);
    }

    @Test
    void whenAnythingIsWrongThenItIsSaid() {
        assertThat(MessageHeader.objection(slot, 15, 7)).contains("15 bytes");
        assertThat(MessageHeader.objection(slot, 4097, 7)).contains("4097 bytes");
        assertThat(MessageHeader.objection(slot, 115, 7)).contains("100 bytes, but 99");
        assertThat(MessageHeader.objection(slot, 116, 8)).contains("number is 7, not 8");
        slot.put(1, (byte) 0x06);
        assertThat(MessageHeader.objection(slot, 116, 7)).contains("type 6");
        slot.put(1, (byte) 0);
        assertThat(MessageHeader.objection(slot, 116, 7)).contains("type 0");
        slot.put(0, (byte) 2);
        assertThat(MessageHeader.objection(slot, 116, 7)).contains("version is 2");
    }

    @Test
    void whenALengthHasTheHighBitThenItIsNoNegativeNumber() {
        slot.putInt(4, -1);
        assertThat(MessageHeader.objection(slot, 116, 7)).contains("4294967295");
    }
}
