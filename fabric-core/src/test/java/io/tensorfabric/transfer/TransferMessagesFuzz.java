package io.tensorfabric.transfer;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Objects;

/** Fuzz target: the data-path messages of transfers. What is accepted must be written back as the same bytes. */
public final class TransferMessagesFuzz {

    private static final int ROOM = 4080;

    private static final TensorMessage MESSAGE = new TensorMessage();

    private static final TensorMessage AGAIN = new TensorMessage();

    private TransferMessagesFuzz() {}

    /** Runs one input, whose first byte chooses the kind of message; called by the fuzzer by name. */
    public static void fuzzerTestOneInput(byte[] data) {
        if (data.length == 0 || data.length > ROOM) {
            return;
        }
        ByteBuffer body = ByteBuffer.wrap(data, 1, data.length - 1).slice().order(ByteOrder.LITTLE_ENDIAN);
        switch (data[0] & 3) {
            case 0 -> tensor(body);
            case 2 -> put(body);
            default -> answers(body);
        }
    }

    private static void put(ByteBuffer body) {
        ByteBuffer copy = body.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        PutMessage put;
        try {
            put = PutMessage.read(body);
        } catch (ProtocolViolation refused) {
            return;
        }
        if (put.offset() < 0 || put.length() < 0) {
            throw new IllegalStateException("A put was taken that has a negative range");
        }
        PushOptions options =
                PushOptions.defaults().withChecksum(put.checksummed()).withReceipt(put.wanted());
        ByteBuffer written = ByteBuffer.allocate(ROOM).order(ByteOrder.LITTLE_ENDIAN);
        PutMessage.write(
                written,
                put.transferId(),
                put.attempt(),
                options,
                put.checksum(),
                put.zoneId(),
                put.offset(),
                put.length());
        if (!written.flip().equals(copy)) {
            throw new IllegalStateException("What was read is written differently");
        }
    }

    private static void tensor(ByteBuffer body) {
        ByteBuffer copy = body.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        try {
            MESSAGE.read(body);
        } catch (ProtocolViolation refused) {
            return;
        }
        boolean sound = MESSAGE.length() == MESSAGE.descriptor().byteLength() && MESSAGE.offset() >= 0;
        if (!sound) {
            throw new IllegalStateException("A tensor was taken whose length is not that of its shape");
        }
        PushOptions options = PushOptions.defaults()
                .withChecksum(MESSAGE.checksummed())
                .withReceipt(MESSAGE.wanted())
                .withHeaders(MESSAGE.headers());
        ByteBuffer written = ByteBuffer.allocate(ROOM).order(ByteOrder.LITTLE_ENDIAN);
        TensorMessage.write(
                written,
                MESSAGE.transferId(),
                MESSAGE.attempt(),
                options,
                MESSAGE.landing(),
                MESSAGE.checksum(),
                MESSAGE.zoneId(),
                MESSAGE.offset(),
                MESSAGE.descriptor());
        TensorGroup group = MESSAGE.group();
        if (group != null) {
            TensorMessage.addGroup(written, 0, group);
        }
        written.flip();
        // Headers are a map, so their order may change.
        if (MESSAGE.headers().size() < 2 ? !written.equals(copy) : written.remaining() != copy.remaining()) {
            throw new IllegalStateException("What was read is written differently");
        }
        AGAIN.read(written);
        if (!Objects.equals(AGAIN.group(), group)
                || !AGAIN.headers().equals(MESSAGE.headers())
                || !AGAIN.descriptor().equals(MESSAGE.descriptor())) {
            throw new IllegalStateException("What was written is read differently");
        }
    }

    private static void answers(ByteBuffer body) {
        byte[] read = new byte[body.remaining()];
        body.duplicate().get(read);
        Answers collected = new Answers();
        try {
            Answers.read(body, new Collector(collected));
        } catch (ProtocolViolation refused) {
            return;
        }
        ByteBuffer written = ByteBuffer.allocate(ROOM).order(ByteOrder.LITTLE_ENDIAN);
        collected.writeTo(written);
        if (!Arrays.equals(read, Arrays.copyOf(written.array(), written.position())) || !collected.isEmpty()) {
            throw new IllegalStateException("Answers that were read are written differently");
        }
    }

    private record Collector(Answers answers) implements Answers.Visitor {

        @Override
        public void accepted(long transferId) {
            answers.accepted(transferId);
        }

        @Override
        public void processed(long transferId) {
            answers.processed(transferId);
        }

        @Override
        public void rejected(long transferId, RejectCode code, String text) {
            answers.rejected(transferId, code, text);
        }

        @Override
        public void released(int zoneId, long offset, long length) {
            answers.released(zoneId, offset, length);
        }

        @Override
        public void retire(int zoneId) {
            answers.retire(zoneId);
        }

        @Override
        public void retired(int zoneId) {
            answers.retired(zoneId);
        }

        @Override
        public void groupOver(long groupId, int messages) {
            answers.groupOver(groupId, messages);
        }
    }
}
