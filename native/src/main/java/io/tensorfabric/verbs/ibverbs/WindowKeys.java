package io.tensorfabric.verbs.ibverbs;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The open memory windows of a device by the part of their key that a bind leaves as it is. */
final class WindowKeys {

    private static final Map<String, WindowKeys> DEVICES = new ConcurrentHashMap<>();

    private final Map<Integer, IbverbsMemoryWindow> windows = new ConcurrentHashMap<>();

    private WindowKeys() {}

    /** Those of all contexts of a device in this process: drivers look keys up in the device. */
    static WindowKeys of(String deviceName) {
        return DEVICES.computeIfAbsent(deviceName, name -> new WindowKeys());
    }

    void add(int rkey, IbverbsMemoryWindow window) {
        windows.put(index(rkey), window);
    }

    void remove(int rkey, IbverbsMemoryWindow window) {
        windows.remove(index(rkey), window);
    }

    /** The window that a key belongs to or belonged to; {@code null} when it is no window's. */
    @Nullable IbverbsMemoryWindow find(int rkey) {
        return windows.get(index(rkey));
    }

    private static int index(int rkey) {
        return rkey >>> Byte.SIZE;
    }
}
