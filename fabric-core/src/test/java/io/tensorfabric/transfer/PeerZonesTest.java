package io.tensorfabric.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.connection.ZoneGrant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Room in zones that this node opens by itself, and closes at the end of a connection whatever the peer still has there. */
class PeerZonesTest {

    private static final int ID = 7;

    private static final int BYTES = 1000;

    private final PeerZones zones = new PeerZones();

    private final PeerZone zone = new PeerZone(new ZoneGrant(ID, 4096, 1 << 20, "host", List.of(1, 2), false));

    PeerZonesTest() {
        zones.opened().add(zone);
    }

    private boolean released(int id, long offset, long length) {
        return zones.release(id, zones.find(id), offset, length);
    }

    private long handOver() {
        long offset = zone.rooms().take(BYTES);
        zone.rooms().handOver(offset);
        return offset;
    }

    @Test
    void whenThePeerGivesRoomBackThenItIsFreeAndASecondTimeIsWrong() {
        long offset = handOver();

        assertThat(released(ID, offset, BYTES)).isTrue();
        assertThat(zone.rooms().isUnused()).isTrue();
        assertThat(released(ID, offset, BYTES)).isFalse();
    }

    @Test
    void whenAZoneIsClosedWhereThePeerHasATensorThenItsLateWordIsNoMistake() {
        long offset = handOver();

        assertThat(zones.close(zone)).isTrue();

        assertThat(zones.find(ID)).isNull();
        assertThat(released(ID, offset, BYTES)).isTrue();
    }

    @Test
    void whenAnUnusedZoneIsClosedThenNothingOfItCanBeGivenBack() {
        assertThat(zones.close(zone)).isTrue();
        assertThat(zones.close(zone)).isFalse();

        assertThat(released(ID, 0, BYTES)).isFalse();
        assertThat(released(ID + 1, 0, BYTES)).isFalse();
    }
}
