package io.tensorfabric.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.connection.LandingOffer;
import io.tensorfabric.connection.ZoneGrant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a sender makes of the zones of a peer and of what the peer says with them. */
class PeerLandingTest {

    private static final LandingOffer BOTH = new LandingOffer(List.of("host", "cuda:3"), null);

    private static PeerLanding of(String memory, @Nullable LandingOffer offer) {
        PeerLanding landing = new PeerLanding();
        landing.add(new ZoneGrant(1, 4096, 1 << 20, memory, List.of(1), false).withLanding(offer));
        return landing;
    }

    @ParameterizedTest
    @CsvSource({
        "host, ANY, ANY",
        "host, HOST, ANY",
        "host, DEVICE, DEVICE",
        "cuda:3, ANY, ANY",
        "cuda:3, HOST, HOST",
        "cuda:3, DEVICE, ANY",
        "host for cuda:3, HOST, HOST",
        "host for cuda:3, DEVICE, ANY",
    })
    void whenThePeerOffersBothThenItIsAskedForWhatItDoesNotDoAnyway(
            String memory, LandingKind wish, LandingKind asked) {
        PeerLanding landing = of(memory, BOTH);

        assertThat(landing.refusal(wish)).isNull();
        assertThat(landing.toAsk(wish)).isEqualTo(asked);
    }

    @ParameterizedTest
    @CsvSource({"host, HOST, DEVICE", "cuda:0, DEVICE, HOST", "host for cuda:0, DEVICE, HOST"})
    void whenThePeerIsOfAFormerVersionThenOnlyWhatItDoesAnywayIsFine(
            String memory, LandingKind met, LandingKind other) {
        PeerLanding landing = of(memory, null);

        assertThat(landing.refusal(LandingKind.ANY)).isNull();
        assertThat(landing.refusal(met)).isNull();
        assertThat(landing.refusal(other)).contains("version");
        for (LandingKind wish : LandingKind.values()) {
            assertThat(landing.toAsk(wish))
                    .as("never told to a peer that does not know it")
                    .isEqualTo(LandingKind.ANY);
        }
    }

    @Test
    void whenThePeerUsesNoGpuThenTheRefusalSaysSo() {
        LandingOffer offer = new LandingOffer(List.of("host"), LandingOffer.NO_GPU);

        assertThat(of("host", offer).refusal(LandingKind.DEVICE))
                .contains("no GPU")
                .contains("'fabric.gpu'");
        assertThat(of("host", offer).refusal(LandingKind.HOST)).isNull();
    }

    @ParameterizedTest
    @CsvSource({"host, host, DEVICE", "cuda:0, cuda:0, HOST"})
    void whenSendersMayNotChooseThenTheRefusalNamesTheProperty(String memory, String kind, LandingKind other) {
        LandingOffer offer = new LandingOffer(List.of(kind), LandingOffer.NO_CHOICE);

        assertThat(of(memory, offer).refusal(other)).contains("'fabric.landing.sender-choice'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "SOMETHING_LATER"})
    void whenThePeerGivesNoReasonThatIsKnownThenTheRefusalSaysWhereToLook(String reason) {
        LandingOffer offer = new LandingOffer(List.of("host", "fpga:0"), reason.isEmpty() ? null : reason);

        assertThat(of("cuda:0", new LandingOffer(List.of("cuda:0"), null)).refusal(LandingKind.HOST))
                .contains("'fabric.landing'");
        assertThat(of("host", new LandingOffer(List.of("host"), offer.reason())).refusal(LandingKind.DEVICE))
                .contains("'fabric.landing'")
                .doesNotContain("LATER");
    }

    @ParameterizedTest
    @EnumSource(LandingKind.class)
    void whenThePeerOpenedNoZoneThenItSaysByItselfThatItTakesNothing(LandingKind wish) {
        PeerLanding landing = new PeerLanding();

        assertThat(landing.refusal(wish)).isNull();
        assertThat(landing.toAsk(wish)).isEqualTo(LandingKind.ANY);
    }
}
