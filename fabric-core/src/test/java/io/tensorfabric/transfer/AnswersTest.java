package io.tensorfabric.transfer;

import static io.tensorfabric.transfer.ProtocolExamples.body;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class AnswersTest {

    private final Answers answers = new Answers();

    private final Seen seen = new Seen();

    private static final class Seen implements Answers.Visitor {

        private final List<String> all = new ArrayList<>();

        @Override
        public void accepted(long transferId) {
            all.add("accepted " + transferId);
        }

        @Override
        public void processed(long transferId) {
            all.add("processed " + transferId);
        }

        @Override
        public void rejected(long transferId, RejectCode code, String text) {
            all.add("rejected " + transferId + " " + code + " " + text);
        }

        @Override
        public void released(int zoneId, long offset, long length) {
            all.add("released " + zoneId + " " + offset + " " + length);
        }

        @Override
        public void retire(int zoneId) {
            all.add("retire " + zoneId);
        }

        @Override
        public void retired(int zoneId) {
            all.add("retired " + zoneId);
        }

        @Override
        public void groupOver(long groupId, int messages) {
            all.add("group over " + groupId + " " + messages);
        }
    }

    @Test
    void theRecordedAnswersAreReadAndWritten() throws IOException {
        Answers.read(body(ProtocolExamples.bytes("answers")), seen);
        assertThat(seen.all).containsExactly("accepted 7", "rejected 8 NO_LISTENER no", "released 1 4096 12");
        answers.accepted(7);
        answers.rejected(8, RejectCode.NO_LISTENER, "no");
        answers.released(1, 4096, 12);
        assertThat(write()).isEqualTo(ProtocolExamples.bytes("answers"));
        assertThat(answers.isEmpty()).isTrue();
    }

    @Test
    void whenThereAreMoreThanFitThenTheyGoOutInOrderOverSeveralMessages() {
        List<String> expected = new ArrayList<>();
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 500; i++) {
                answers.released(round, i, 1);
                answers.rejected(i, RejectCode.CHECKSUM, "ü".repeat(300));
                expected.add("released " + round + " " + i + " 1");
                expected.add("rejected " + i + " CHECKSUM " + "ü".repeat(256));
            }
            answers.retire(4);
            answers.retired(5);
            answers.processed(6);
            answers.groupOver(7, 3);
            expected.addAll(List.of("retire 4", "retired 5", "processed 6", "group over 7 3"));
            for (int messages = 0; messages < 50; messages++) {
                Answers.read(body(write()), seen);
            }
        }
        while (!answers.isEmpty()) {
            Answers.read(body(write()), seen);
        }
        assertThat(seen.all).isEqualTo(expected);
    }

    @Test
    void whenAMessageIsWrongThenItIsRefused() {
        refused(b -> b.putInt(0, 0));
        refused(b -> b.putInt(0, 2));
        refused(b -> b.putInt(0, 4));
        refused(b -> b.putInt(0, -1));
        refused(b -> b.putInt(4, 1));
        refused(b -> b.put(8, (byte) 0));
        refused(b -> b.put(8, (byte) 8));
        refused(b -> b.put(9, (byte) 1));
        refused(b -> b.putShort(10, (short) 1));
        refused(b -> b.putInt(12, 1));
        refused(b -> b.putLong(24, 1));
        refused(b -> b.put(33, (byte) 0));
        refused(b -> b.put(33, (byte) 99));
        refused(b -> b.putShort(34, (short) 513));
        refused(b -> b.put(56, (byte) 0xff));
        refused(b -> b.limit(b.limit() - 1));
        refused(b -> b.limit(7));
    }

    private void refused(Consumer<ByteBuffer> damage) {
        ByteBuffer body;
        try {
            body = body(ProtocolExamples.bytes("answers"));
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        damage.accept(body);
        assertThatThrownBy(() -> Answers.read(body, seen)).isInstanceOf(ProtocolViolation.class);
    }

    private byte[] write() {
        ByteBuffer body = ProtocolExamples.empty();
        answers.writeTo(body);
        return ProtocolExamples.written(body);
    }
}
