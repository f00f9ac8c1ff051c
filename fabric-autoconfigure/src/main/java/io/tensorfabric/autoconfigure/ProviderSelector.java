package io.tensorfabric.autoconfigure;

import io.tensorfabric.topology.Sysfs;
import io.tensorfabric.verbs.VerbsProvider;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Selects the provider of devices. Probes libraries, so it runs at start and not when beans are made. */
final class ProviderSelector {

    private static final String IBVERBS = "ibverbs";

    private static final String VERBS_ACTION =
            "Load the driver of the card and install rdma-core (ibv_devinfo must list"
                    + " the device, /dev/infiniband must be visible in the container), or set 'fabric.provider=auto' or"
                    + " 'fabric.provider=soft' to use the software device.";

    private final FabricProperties properties;

    private final Supplier<VerbsProvider> soft;

    private final Supplier<List<VerbsProvider>> services;

    ProviderSelector(FabricProperties properties, Supplier<VerbsProvider> soft) {
        this(properties, soft, ProviderSelector::load);
    }

    ProviderSelector(
            FabricProperties properties, Supplier<VerbsProvider> soft, Supplier<List<VerbsProvider>> services) {
        this.properties = properties;
        this.soft = soft;
        this.services = services;
    }

    private static List<VerbsProvider> load() {
        return ServiceLoader.load(VerbsProvider.class, ProviderSelector.class.getClassLoader()).stream()
                .map(ServiceLoader.Provider::get)
                .toList();
    }

    /**
     * Selects.
     *
     * @throws FabricUnavailableException if verbs devices are asked for and there are none
     */
    ProviderSelection select() {
        return switch (properties.provider()) {
            case SOFT -> new ProviderSelection(soft.get(), "'fabric.provider' is soft");
            case VERBS -> new ProviderSelection(requireVerbs(), "'fabric.provider' is verbs");
            case AUTO -> automatic();
        };
    }

    private ProviderSelection automatic() {
        Optional<VerbsProvider> verbs = ibverbs();
        String problem = problem(verbs);
        if (problem == null) {
            return new ProviderSelection(verbs.orElseThrow(), "a verbs device is there");
        }
        boolean surprising = verbs.map(VerbsProvider::unavailabilityCause)
                        .filter(ProviderSelector::isOfTheShim)
                        .isPresent()
                || hasCard();
        return new ProviderSelection(soft.get(), problem, true, surprising);
    }

    /** The shim comes with the starter, so on Linux it works; libibverbs is there where somebody wants RDMA. */
    private static boolean isOfTheShim(Throwable cause) {
        return cause instanceof UnsatisfiedLinkError
                && System.getProperty("os.name", "").equals("Linux")
                && !String.valueOf(cause.getMessage()).startsWith("libibverbs");
    }

    /** Whether the kernel knows an RDMA device, whoever may open it. */
    private boolean hasCard() {
        return !new Sysfs(properties.diagnostics().sysfs())
                .names("class/infiniband")
                .isEmpty();
    }

    private VerbsProvider requireVerbs() {
        Optional<VerbsProvider> verbs = ibverbs();
        String problem = problem(verbs);
        if (problem != null) {
            throw new FabricUnavailableException(
                    "'fabric.provider' is verbs, but no verbs device can be used: " + problem,
                    VERBS_ACTION,
                    verbs.map(VerbsProvider::unavailabilityCause).orElse(null));
        }
        return verbs.orElseThrow();
    }

    private Optional<VerbsProvider> ibverbs() {
        return services.get().stream()
                .filter(provider -> IBVERBS.equals(provider.name()))
                .findFirst();
    }

    /** Why the provider cannot be used, or {@code null} when it can. */
    private static @Nullable String problem(Optional<VerbsProvider> verbs) {
        if (verbs.isEmpty()) {
            return "fabric-native is not on the class path";
        }
        VerbsProvider provider = verbs.get();
        if (!provider.isAvailable()) {
            Throwable cause = provider.unavailabilityCause();
            return cause == null || cause.getMessage() == null ? "its library cannot be used" : cause.getMessage();
        }
        return provider.devices().isEmpty() ? "this machine has no RDMA device" : null;
    }
}
