package io.tensorfabric.verbs.ibverbs;

import io.tensorfabric.verbs.VerbsDevice;
import java.util.List;

/** The RDMA devices that tests may use. */
final class GuestDevices {

    private static final IbverbsProvider PROVIDER = new IbverbsProvider();

    private GuestDevices() {}

    /** Whether there is a device; a condition of tests. */
    static boolean present() {
        return PROVIDER.isAvailable();
    }

    static List<VerbsDevice> all() {
        return PROVIDER.devices();
    }
}
