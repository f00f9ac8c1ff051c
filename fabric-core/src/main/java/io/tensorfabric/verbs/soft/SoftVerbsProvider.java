package io.tensorfabric.verbs.soft;

import io.tensorfabric.verbs.VerbsContext;
import io.tensorfabric.verbs.VerbsDevice;
import io.tensorfabric.verbs.VerbsProvider;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Provider of software devices, which work everywhere. Found by {@link java.util.ServiceLoader} with one device
 * {@code soft0} on loopback; make one by hand for other devices. Thread-safe.
 */
public final class SoftVerbsProvider implements VerbsProvider {

    /** Name of the provider. */
    public static final String NAME = "soft";

    private final List<VerbsDevice> devices;

    /** One device with {@link SoftDeviceOptions#defaults()}. */
    public SoftVerbsProvider() {
        this(SoftDeviceOptions.defaults());
    }

    /** One device. */
    public SoftVerbsProvider(SoftDeviceOptions options) {
        this(List.of(options));
    }

    /**
     * Several devices.
     *
     * @throws IllegalArgumentException if two have the same name
     */
    public SoftVerbsProvider(List<SoftDeviceOptions> options) {
        if (options.stream().map(SoftDeviceOptions::name).distinct().count() != options.size()) {
            throw new IllegalArgumentException("Software devices must have names of their own");
        }
        this.devices = options.stream().map(SoftVerbsProvider::device).toList();
    }

    private static VerbsDevice device(SoftDeviceOptions options) {
        return new SoftDevice(options);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public boolean isAvailable() {
        return true;
    }

    @Override
    public @Nullable Throwable unavailabilityCause() {
        return null;
    }

    @Override
    public List<VerbsDevice> devices() {
        return devices;
    }

    private record SoftDevice(SoftDeviceOptions options) implements VerbsDevice {

        @Override
        public String name() {
            return options.name();
        }

        @Override
        public VerbsContext open() {
            options.faults().checkCall("ibv_open_device");
            return new SoftContext(new Engine(options));
        }
    }
}
