package io.tensorfabric.verbs.ibverbs;

import io.tensorfabric.verbs.VerbsContext;

/**
 * Opens devices of a stub in place of libibverbs. Lies in the package of the provider, which itself refuses devices without
 * files in {@code /dev/infiniband}.
 */
public final class StubDevices {

    private StubDevices() {}

    /**
     * Opens a device.
     *
     * @throws IllegalStateException if the shim or the library that it loads is missing
     */
    public static VerbsContext open(String name) {
        UnsatisfiedLinkError failure = NativeLibrary.failure();
        if (failure != null) {
            throw new IllegalStateException("The verbs shim cannot be loaded: " + failure.getMessage(), failure);
        }
        return new IbverbsDevice(name).open();
    }
}
