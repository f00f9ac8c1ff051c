package io.tensorfabric.verbs.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.tensorfabric.verbs.VerbsProvider;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

class IbverbsProviderTest {

    private final VerbsProvider provider = new IbverbsProvider();

    @Test
    void whenProvidersAreLoadedThenItIsAmongThem() {
        assertThat(ServiceLoader.load(VerbsProvider.class)).hasAtLeastOneElementOfType(IbverbsProvider.class);
    }

    @Test
    void whenThereIsNoShimThenItIsUnavailableAndSaysWhyAndWhatToDo() {
        assertThat(provider.name()).isEqualTo("ibverbs");
        assertThat(provider.isAvailable()).isFalse();
        assertThat(provider.unavailabilityCause())
                .hasMessageContaining("contains no native verbs shim")
                .hasMessageContaining("software device");
    }

    @Test
    void whenUnavailableThenListingDevicesThrowsWithTheReason() {
        assertThatIllegalStateException()
                .isThrownBy(provider::devices)
                .withMessageContaining("contains no native verbs shim");
    }
}
