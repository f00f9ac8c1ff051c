package io.tensorfabric.verbs.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.tensorfabric.verbs.VerbsDevice;
import io.tensorfabric.verbs.VerbsProvider;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class IbverbsProviderTest {

    private final VerbsProvider provider = new IbverbsProvider();

    @Test
    void whenProvidersAreLoadedThenItIsAmongThem() {
        assertThat(ServiceLoader.load(VerbsProvider.class)).hasAtLeastOneElementOfType(IbverbsProvider.class);
        assertThat(provider.name()).isEqualTo("ibverbs");
    }

    @Test
    void whenUnavailableThenItSaysWhyAndWhatToDoAndListingThrowsTheSame() {
        Assumptions.assumeFalse(provider.isAvailable(), "this machine has an RDMA device");
        Throwable cause = provider.unavailabilityCause();
        assertThat(cause).isNotNull();
        assertThat(cause.getMessage())
                .containsAnyOf(
                        "no native verbs shim", "libibverbs cannot be loaded", "no RDMA device", "ib_uverbs", "uverbs");
        assertThatIllegalStateException().isThrownBy(provider::devices).withMessage(cause.getMessage());
    }

    @Test
    void whenAvailableThenThereAreDevicesWithNames() {
        Assumptions.assumeTrue(provider.isAvailable(), "this machine has no RDMA device");
        assertThat(provider.unavailabilityCause()).isNull();
        assertThat(provider.devices())
                .isNotEmpty()
                .extracting(VerbsDevice::name)
                .doesNotHaveDuplicates();
    }
}
