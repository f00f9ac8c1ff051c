package io.tensorfabric.autoconfigure.e2e;

import io.tensorfabric.verbs.MemoryRegion;
import io.tensorfabric.verbs.MemoryWindow;
import io.tensorfabric.verbs.ProtectionDomain;
import io.tensorfabric.verbs.QueuePair;
import io.tensorfabric.verbs.VerbsContext;
import io.tensorfabric.verbs.VerbsDevice;
import io.tensorfabric.verbs.VerbsProvider;
import io.tensorfabric.verbs.soft.SoftDeviceOptions;
import io.tensorfabric.verbs.soft.SoftFaults;
import io.tensorfabric.verbs.soft.SoftVerbsProvider;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The software device, with a record of every secret that it hands out. */
final class RecordingProvider implements VerbsProvider {

    private final SoftFaults faults = new SoftFaults();

    private final VerbsProvider delegate;

    private final Set<String> secrets = ConcurrentHashMap.newKeySet();

    RecordingProvider(String address) {
        try {
            delegate = new SoftVerbsProvider(
                    SoftDeviceOptions.defaults().withFaults(faults).withBindAddress(InetAddress.getByName(address)));
        } catch (UnknownHostException ex) {
            throw new IllegalArgumentException(ex);
        }
    }

    SoftFaults faults() {
        return faults;
    }

    @Override
    public String name() {
        return delegate.name();
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
        return delegate.devices().stream().map(this::device).toList();
    }

    private VerbsDevice device(VerbsDevice device) {
        return watch(
                VerbsDevice.class,
                device,
                result -> result instanceof VerbsContext context ? context(context) : result);
    }

    private VerbsContext context(VerbsContext context) {
        return watch(
                VerbsContext.class,
                context,
                result -> result instanceof ProtectionDomain domain ? domain(domain) : result);
    }

    private ProtectionDomain domain(ProtectionDomain domain) {
        return watch(ProtectionDomain.class, domain, this::record);
    }

    private Object record(Object result) {
        if (result instanceof MemoryRegion region) {
            recordKey(region.rkey());
            recordKey(region.lkey());
        } else if (result instanceof MemoryWindow window) {
            return watch(MemoryWindow.class, window, key -> {
                if (key instanceof Integer number) {
                    recordKey(number);
                }
                return key;
            });
        } else if (result instanceof QueuePair pair && pair.providerAddress() != null) {
            String address = pair.providerAddress();
            secrets.add(address.substring(address.lastIndexOf(':') + 1));
        }
        return result;
    }

    private void recordKey(int key) {
        secrets.add(Integer.toString(key));
        secrets.add(Integer.toUnsignedString(key));
        secrets.add(Integer.toHexString(key));
        secrets.add(Integer.toHexString(key).toUpperCase(Locale.ROOT));
        secrets.add(String.format("%08x", key));
    }

    /** All secrets in all spellings. */
    Set<String> secrets() {
        return new LinkedHashSet<>(secrets);
    }

    private static <T> T watch(Class<T> type, T target, Function<Object, @Nullable Object> results) {
        Object proxy = Proxy.newProxyInstance(
                RecordingProvider.class.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    try {
                        Object result = method.invoke(target, arguments);
                        return result == null ? null : results.apply(result);
                    } catch (InvocationTargetException ex) {
                        throw ex.getTargetException();
                    }
                });
        return type.cast(proxy);
    }
}
