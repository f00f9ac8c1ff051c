package io.tensorfabric.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorfabric.verbs.VerbsContext;
import io.tensorfabric.verbs.VerbsDevice;
import io.tensorfabric.verbs.VerbsProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

class ProviderSelectorTest {

    private static final VerbsProvider SOFT = new Provider("soft", null, 1);

    private record Provider(String name, @Nullable Throwable unavailabilityCause, int count) implements VerbsProvider {

        @Override
        public boolean isAvailable() {
            return unavailabilityCause == null;
        }

        @Override
        public List<VerbsDevice> devices() {
            return count == 0 ? List.of() : List.of(new Device());
        }
    }

    private record Device() implements VerbsDevice {

        @Override
        public String name() {
            return "mlx5_0";
        }

        @Override
        public VerbsContext open() {
            throw new UnsupportedOperationException();
        }
    }

    @TempDir
    Path sysfs;

    private ProviderSelection select(String provider, VerbsProvider... services) {
        FabricProperties properties = new Binder(new MapConfigurationPropertySource(
                        Map.of("fabric.provider", provider, "fabric.diagnostics.sysfs", sysfs.toString())))
                .bind("fabric", FabricProperties.class)
                .get();
        return new ProviderSelector(properties, () -> SOFT, () -> List.of(services)).select();
    }

    @Test
    void whenAVerbsDeviceIsThereThenAutoTakesIt() {
        ProviderSelection selection = select("auto", new Provider("ibverbs", null, 1));
        assertThat(selection.provider().name()).isEqualTo("ibverbs");
        assertThat(selection.fallback()).isFalse();
    }

    @Test
    void whenNoVerbsDeviceIsUsableThenAutoTakesSoftAndSaysWhy() {
        assertFallback("not on the class path", select("auto"));
        assertFallback("no RDMA device", select("auto", new Provider("ibverbs", null, 0)));
        assertFallback("no libibverbs", select("auto", new Provider("ibverbs", new Error("no libibverbs"), 1)));
    }

    private static void assertFallback(String reason, ProviderSelection selection) {
        assertThat(selection.provider()).isSameAs(SOFT);
        assertThat(selection.fallback()).isTrue();
        assertThat(selection.reason()).contains(reason);
    }

    @Test
    void whenACardIsThereOrTheShimDoesNotWorkThenTheFallbackIsSurprising() throws IOException {
        Error library = new UnsatisfiedLinkError("libibverbs cannot be loaded: not found");
        Error shim = new UnsatisfiedLinkError("The verbs shim x.so cannot be loaded: it has only 0 bytes");
        assertThat(select("auto").surprising()).isFalse();
        assertThat(select("auto", new Provider("ibverbs", library, 1)).surprising())
                .isFalse();
        assertThat(select("auto", new Provider("ibverbs", shim, 1)).surprising())
                .isEqualTo(System.getProperty("os.name").equals("Linux"));
        Files.createDirectories(sysfs.resolve("class/infiniband/mlx5_0"));
        assertThat(select("auto", new Provider("ibverbs", library, 1)).surprising())
                .isTrue();
        assertThat(select("soft").surprising()).isFalse();
    }

    @Test
    void whenSoftIsAskedForThenItIsTakenBesideACard() {
        ProviderSelection selection = select("soft", new Provider("ibverbs", null, 1));
        assertThat(selection.provider()).isSameAs(SOFT);
        assertThat(selection.fallback()).isFalse();
    }

    @Test
    void whenVerbsIsAskedForAndNotUsableThenTheFailureSaysWhatToDo() {
        assertThatThrownBy(() -> select("verbs", new Provider("ibverbs", new Error("no libibverbs"), 1)))
                .isInstanceOfSatisfying(FabricUnavailableException.class, failure -> {
                    assertThat(failure).hasMessageContaining("no libibverbs");
                    assertThat(failure.action()).contains("rdma-core", "fabric.provider=soft");
                });
    }
}
