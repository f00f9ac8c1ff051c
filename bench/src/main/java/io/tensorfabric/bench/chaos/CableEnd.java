package io.tensorfabric.bench.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;

/** One end of the guest's cable, a network interface. Faults of several nodes may hit it at once. */
final class CableEnd {

    private static final String DELAY = "delay 15ms 5ms";

    /** Few enough that a long message sometimes gets through, and enough that hardly any does so at once. */
    private static final String LOSS = "loss 2%";

    private static final String NOTHING_PASSES = "loss 100%";

    private final String name;

    private final Tool tool;

    private final Map<Fault.Kind, Integer> current = new EnumMap<>(Fault.Kind.class);

    CableEnd(String name, Tool tool) {
        this.name = name;
        this.tool = tool;
    }

    /** What sets interfaces. */
    interface Tool {
        void run(String action, String end, String... arguments) throws IOException, InterruptedException;
    }

    void add(Fault.Kind kind) throws IOException, InterruptedException {
        if (current.merge(kind, 1, Integer::sum) == 1) {
            apply(kind);
        }
    }

    void remove(Fault.Kind kind) throws IOException, InterruptedException {
        if (current.merge(kind, -1, Integer::sum) == 0) {
            apply(kind);
        }
    }

    private void apply(Fault.Kind kind) throws IOException, InterruptedException {
        if (kind == Fault.Kind.LINK_DOWN) {
            tool.run(has(kind) ? "down" : "up", name);
        } else {
            tool.run("quality", name, quality().split(" "));
        }
    }

    /** For netem, which is one for an interface. */
    private String quality() {
        String loss = has(Fault.Kind.PARTITION) ? NOTHING_PASSES : has(Fault.Kind.LOSS) ? LOSS : "";
        return ((has(Fault.Kind.DELAY) ? DELAY : "") + " " + loss).strip();
    }

    private boolean has(Fault.Kind kind) {
        return current.getOrDefault(kind, 0) > 0;
    }

    long received() throws IOException {
        return Long.parseLong(Files.readString(Path.of("/sys/class/net", name, "statistics/rx_bytes"))
                .strip());
    }
}
