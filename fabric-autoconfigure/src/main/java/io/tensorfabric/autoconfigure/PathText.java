package io.tensorfabric.autoconfigure;

import io.tensorfabric.connection.AddressFamily;
import io.tensorfabric.connection.FabricDevice;
import io.tensorfabric.connection.FabricDeviceException;
import io.tensorfabric.verbs.VerbsException;

/** Puts the choice of device, port and GID into words. */
final class PathText {

    private PathText() {}

    static String describe(FabricDevice device) {
        try {
            return device.path(AddressFamily.ANY).explanation();
        } catch (VerbsException | FabricDeviceException ex) {
            return device.deviceName() + " port " + device.port() + " (" + ex.getMessage() + ")";
        }
    }
}
