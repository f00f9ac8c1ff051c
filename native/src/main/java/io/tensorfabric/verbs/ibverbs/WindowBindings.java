package io.tensorfabric.verbs.ibverbs;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The memory windows that were bound through one queue pair. Rxe of kernel 6.1 waits most of a minute when a queue pair
 * is destroyed with a window bound to it, so they are unbound first.
 */
final class WindowBindings {

    private final Set<IbverbsMemoryWindow> windows = ConcurrentHashMap.newKeySet();

    void add(IbverbsMemoryWindow window) {
        windows.add(window);
    }

    void remove(IbverbsMemoryWindow window) {
        windows.remove(window);
    }

    /** Unbinds all. */
    void release() {
        windows.removeIf(window -> {
            window.renew();
            return true;
        });
    }
}
