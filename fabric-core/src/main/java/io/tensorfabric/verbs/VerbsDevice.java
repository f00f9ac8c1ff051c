package io.tensorfabric.verbs;

/** A device that can be opened; see {@code ibv_get_device_list(3)}. Thread-safe. */
public interface VerbsDevice {

    /** Kernel name of the device, such as {@code mlx5_0}, {@code rxe0} or {@code soft0}. */
    String name();

    /**
     * Opens the device; see {@code ibv_open_device(3)}. The caller owns the context and closes it.
     *
     * @throws VerbsException if the device cannot be opened
     */
    VerbsContext open();
}
