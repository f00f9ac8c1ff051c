package io.tensorfabric.verbs.ibverbs;

import io.tensorfabric.verbs.Errno;
import io.tensorfabric.verbs.VerbsContext;
import io.tensorfabric.verbs.VerbsDevice;
import io.tensorfabric.verbs.VerbsException;
import java.nio.charset.StandardCharsets;

/** A device by its kernel name. */
final class IbverbsDevice implements VerbsDevice {

    private static final String CALL = "ibv_open_device";

    private final String name;

    IbverbsDevice(String name) {
        this.name = name;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public VerbsContext open() {
        int wake = (int) Failures.check(NativeVerbs.createWake(), "eventfd", "for device " + name);
        boolean opened = false;
        try (Scratch text = new Scratch(Layout.NAME_SIZE)) {
            byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
            if (bytes.length >= Layout.NAME_SIZE) {
                throw new VerbsException(CALL, Errno.ENODEV, "no device has so long a name: " + name);
            }
            text.putBytes(0, bytes);
            long address = Failures.check(NativeVerbs.openDevice(text.address()), CALL, "device " + name);
            opened = true;
            return new IbverbsContext(name, address, wake);
        } finally {
            if (!opened) {
                NativeVerbs.closeWake(wake);
            }
        }
    }

    @Override
    public String toString() {
        return "ibverbs device " + name;
    }
}
