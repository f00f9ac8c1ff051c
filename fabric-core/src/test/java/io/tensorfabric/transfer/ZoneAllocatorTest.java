package io.tensorfabric.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ZoneAllocatorTest {

    private record Room(long offset, long length) {

        boolean overlaps(Room other) {
            return offset < other.offset + other.length && other.offset < offset + length;
        }
    }

    @Test
    void whenTheZoneIsEmptyThenAllOfItCanBeTaken() {
        for (long size : new long[] {1, 64, 100, 4096, 1_048_577}) {
            ZoneAllocator zone = new ZoneAllocator(size);
            assertThat(zone.take(size + 1)).isEqualTo(-1);
            assertThat(zone.take(size)).isZero();
            assertThat(zone.take(1)).isEqualTo(-1);
            zone.giveBack(0);
            assertThat(zone.isUnused()).isTrue();
        }
    }

    @Test
    void whenTheSizeIsNoMultipleOfTheAlignmentThenNoRoomGoesBeyondIt() {
        ZoneAllocator zone = new ZoneAllocator(100);
        assertThat(zone.take(64)).isZero();
        assertThat(zone.take(37)).isEqualTo(-1);
        assertThat(zone.take(36)).isEqualTo(64);
    }

    @Test
    void whenRoomIsGivenBackInAnyOrderThenNeighboursCoalesce() {
        ZoneAllocator zone = new ZoneAllocator(4096);
        List<Long> rooms = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            rooms.add(zone.take(64));
        }
        assertThat(zone.take(1)).isEqualTo(-1);
        java.util.Collections.shuffle(rooms, new Random(1));
        rooms.forEach(zone::giveBack);
        assertThat(zone.take(4096)).isZero();
    }

    @Test
    void whenRoomIsLargeThenItStartsOnAPage() {
        ZoneAllocator zone = new ZoneAllocator(1 << 20);
        zone.take(64);
        assertThat(zone.take(64 << 10)).isEqualTo(4096);
        assertThat(zone.take(64)).isEqualTo(64);
    }

    @Test
    void whenThePeerGivesBackWhatItDoesNotHaveThenItIsRefused() {
        ZoneAllocator zone = new ZoneAllocator(4096);
        long offset = zone.take(100);
        assertThat(zone.release(offset, 100)).isFalse();
        zone.handOver(offset);
        assertThat(zone.release(offset, 101)).isFalse();
        assertThat(zone.release(offset + 64, 100)).isFalse();
        assertThatThrownBy(() -> zone.giveBack(offset)).isInstanceOf(IllegalStateException.class);
        assertThat(zone.release(offset, 100)).isTrue();
        assertThat(zone.release(offset, 100)).isFalse();
        assertThat(zone.isUnused()).isTrue();
    }

    @Test
    void whenUsedAtRandomThenRoomsNeverOverlapAndNothingIsLost() {
        Random random = new Random(42);
        ZoneAllocator zone = new ZoneAllocator(1 << 20);
        List<Room> rooms = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            if (rooms.isEmpty() || random.nextInt(100) < 55) {
                long length = 1 + (random.nextInt(10) == 0 ? random.nextInt(200_000) : random.nextInt(5000));
                long offset = zone.take(length);
                if (offset >= 0) {
                    Room room = new Room(offset, length);
                    assertThat(offset % 64).isZero();
                    assertThat(offset + length).isLessThanOrEqualTo(1 << 20);
                    assertThat(rooms).noneMatch(room::overlaps);
                    rooms.add(room);
                }
            } else {
                zone.giveBack(rooms.remove(random.nextInt(rooms.size())).offset());
            }
        }
        rooms.forEach(room -> zone.giveBack(room.offset()));
        assertThat(zone.isUnused()).isTrue();
        assertThat(zone.take(1 << 20)).isZero();
    }
}
