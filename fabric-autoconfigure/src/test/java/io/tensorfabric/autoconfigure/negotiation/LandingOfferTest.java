package io.tensorfabric.autoconfigure.negotiation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorfabric.connection.LandingOffer;
import io.tensorfabric.connection.ZoneGrant;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a zone says about where tensors may land, of this version, of the one before and of later ones. */
class LandingOfferTest {

    private static final String FORMER = "{\"zoneId\": 1, \"address\": 4096, \"size\": 8192, \"memoryKind\": \"host\","
            + " \"rkeys\": [17], \"dedicated\": false%s}";

    private final NegotiationJson json = new NegotiationJson();

    private ZoneGrant read(String more) {
        return json.read(FORMER.formatted(more).getBytes(StandardCharsets.UTF_8), ZoneGrant.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ", \"landing\": null"})
    void whenANodeOfTheFormerVersionOpensAZoneThenItOffersNothing(String more) {
        assertThat(read(more).landing()).isNull();
    }

    @Test
    void whenAZoneIsWrittenThenItsOfferArrivesWithIt() {
        for (String reason : new String[] {null, LandingOffer.NO_GPU}) {
            ZoneGrant zone = read("").withLanding(new LandingOffer(List.of("host", "cuda:0"), reason));

            assertThat(json.read(json.write(zone), ZoneGrant.class)).isEqualTo(zone);
        }
    }

    @Test
    void whenALaterVersionSaysMoreThenTheRestIsUnderstood() {
        LandingOffer offer =
                read(", \"landing\": {\"kinds\": [\"host\", \"fpga:1\"], \"reason\": \"LATER\", \"more\": [1]}")
                        .landing();

        assertThat(offer).isEqualTo(new LandingOffer(List.of("host", "fpga:1"), "LATER"));
    }

    @Test
    void whenAnOfferIsIncompleteThenTheProblemNamesThePlace() {
        assertThatThrownBy(() -> read(", \"landing\": {}"))
                .isInstanceOf(NegotiationProblem.class)
                .hasMessageContaining("'landing'");
    }
}
