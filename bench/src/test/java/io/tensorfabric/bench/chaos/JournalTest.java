package io.tensorfabric.bench.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.transfer.ReceiptLevel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JournalTest {

    @TempDir
    Path folder;

    @Test
    void whenALineIsCutShortThenTheOthersAreReadAsTheyWereWritten() throws IOException {
        PushId push = new PushId("a", 2, 17, 65_537);
        List<Event> events = List.of(
                new Event.Started(1, push, "b", ReceiptLevel.PLACED, 500),
                new Event.Ended(2, push, "PLACED", ""),
                new Event.Ended(3, push, "PEER_LOST", "the peer 'b' is gone"),
                new Event.Received(4, push, "it differs from byte 8 on"),
                new Event.Received(5, null, "not a name"),
                new Event.Broken(6, "no room"));
        Path file = folder.resolve("journal");
        try (Journal journal = new Journal(file)) {
            events.forEach(journal::add);
        }
        Files.writeString(file, "E 7 a.2.1", StandardOpenOption.APPEND);

        assertThat(Journal.read(file)).isEqualTo(events);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 8, 100_003})
    void whenOneByteIsWrongThenItIsFound(int bytes) {
        PushId push = new PushId("a", 0, 3, bytes);
        long address = OffHeap.allocate(bytes, Long.BYTES);
        try {
            Content.fill(push, address);
            assertThat(Content.firstDifference(push, address)).isEqualTo(-1);
            assertThat(Content.firstDifference(new PushId("a", 0, 4, bytes), address))
                    .as("the content of another push")
                    .isNotEqualTo(-1);

            OffHeap.putByte(address + bytes - 1, (byte) ~OffHeap.getByte(address + bytes - 1));
            assertThat(Content.firstDifference(push, address)).isBetween((long) bytes - Long.BYTES, bytes - 1L);
        } finally {
            OffHeap.free(address);
        }
    }
}
