package io.tensorfabric.verbs.ibverbs;

import io.tensorfabric.verbs.Errno;
import io.tensorfabric.verbs.VerbsException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The RDMA devices of this machine, and why there may be none to use. */
final class Devices {

    /** More than any machine has. */
    private static final int MOST = 256;

    private static final String CALL = "ibv_get_device_list";

    private static final Path FILES = Path.of("/dev/infiniband");

    private Devices() {}

    /** Names in the order of libibverbs; only after {@link NativeLibrary#failure()} was {@code null}. */
    static List<String> names() {
        try (Scratch raw = new Scratch(MOST * Layout.NAME_SIZE)) {
            int count = (int) Failures.check(NativeVerbs.listDevices(raw.address(), MOST), CALL, "listing devices");
            List<String> names = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                names.add(raw.getText(i * Layout.NAME_SIZE, Layout.NAME_SIZE));
            }
            return names;
        }
    }

    /** Why no device can be opened, with a remedy; {@code null} when one can. */
    static @Nullable Throwable unavailability() {
        UnsatisfiedLinkError failure = NativeLibrary.failure();
        if (failure != null) {
            return failure;
        }
        try {
            List<String> names = names();
            return names.isEmpty()
                    ? new VerbsException(
                            CALL,
                            Errno.ENODEV,
                            "there is no RDMA device: check the card and its driver (ibv_devinfo), or make a Soft-RoCE"
                                    + " device (rdma link add rxe0 type rxe netdev eth0)")
                    : fileProblem(FILES, names);
        } catch (VerbsException ex) {
            // The general remedy of ENOSYS, a newer driver, would mislead here.
            return ex.errno() != Errno.ENOSYS
                    ? ex
                    : new IllegalStateException(
                            "The kernel has no RDMA for user space: if there is a card, modprobe ib_uverbs", ex);
        }
    }

    /** Devices are listed even where their files are missing, as in a container, or closed to this user. */
    static @Nullable VerbsException fileProblem(Path folder, List<String> devices) {
        List<Path> files;
        try (Stream<Path> all = Files.list(folder)) {
            files = all.filter(file -> file.getFileName().toString().startsWith("uverbs"))
                    .toList();
        } catch (IOException ex) {
            files = List.of();
        }
        if (files.isEmpty()) {
            return new VerbsException(
                    "ibv_open_device",
                    Errno.ENOENT,
                    "the kernel has " + devices + " but there is no " + folder
                            + "/uverbs*: pass the files into the container (an RDMA device plugin, or"
                            + " --device=/dev/infiniband)");
        }
        if (files.stream().noneMatch(file -> Files.isReadable(file) && Files.isWritable(file))) {
            return new VerbsException(
                    "ibv_open_device",
                    Errno.EACCES,
                    "the user " + System.getProperty("user.name") + " may not read and write " + files);
        }
        return null;
    }
}
