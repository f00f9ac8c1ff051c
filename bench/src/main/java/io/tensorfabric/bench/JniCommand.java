package io.tensorfabric.bench;

import io.tensorfabric.bench.jni.PostAndPoll;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Posting and polling through the shim beside a C program that does the same on the same stub. */
@Command(
        name = "jni",
        description =
                "Posts and polls work requests through the JNI shim, by JMH, and in a C loop, both on a STUB of libibverbs"
                        + " whose requests complete at once: what Java costs above a driver, in nanoseconds of a request.",
        mixinStandardHelpOptions = true)
final class JniCommand implements Callable<Integer> {

    private static final int ITERATIONS = 5;

    private static final int WARM_UPS = 4;

    @Mixin
    MeasureOptions measure = new MeasureOptions(2, 3, 0.5);

    @Option(
            names = "--stub",
            required = true,
            description = "folder with the stub libibverbs.so.1, which LD_LIBRARY_PATH must name too, and post_loop")
    Path stub = Path.of("");

    @Option(
            names = "--batches",
            split = ",",
            defaultValue = "1,4,16,64",
            description = "requests that are posted at once, at most 64 (${DEFAULT-VALUE})")
    List<Integer> batches = List.of();

    @Override
    public Integer call() throws Exception {
        JniReport report = new JniReport();
        for (int round = 1; round <= measure.rounds(); round++) {
            for (int batch : batches) {
                measure.progress("round " + round + ": batches of " + batch);
                // Before and after, so that what else the machine does falls on both.
                double before = loop(batch);
                double java = shim(batch);
                report.add(batch, java, (before + loop(batch)) / 2);
            }
        }
        PrintWriter out = measure.out();
        report.print(out);
        out.flush();
        measure.save(report.csv(), report.svg());
        return 0;
    }

    /** Nanoseconds of a request through the shim, in a process of JMH's. */
    private double shim(int batch) throws RunnerException {
        TimeValue length = TimeValue.milliseconds(Math.max(50, (long) (measure.seconds() * 1000 / ITERATIONS)));
        double nanos = new Runner(new OptionsBuilder()
                        .include(PostAndPoll.class.getName())
                        .param("batch", String.valueOf(batch))
                        .forks(1)
                        .warmupIterations(WARM_UPS)
                        .warmupTime(TimeValue.milliseconds(250))
                        .measurementIterations(ITERATIONS)
                        .measurementTime(length)
                        .shouldFailOnError(true)
                        .verbosity(VerboseMode.SILENT)
                        .build())
                .runSingle()
                .getPrimaryResult()
                .getStatistics()
                .getPercentile(50);
        return nanos / batch;
    }

    /** Nanoseconds of a request in the C loop. */
    private double loop(int batch) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(stub.resolve("post_loop").toString(), String.valueOf(batch)));
        command.add(String.valueOf(ITERATIONS));
        command.add(String.valueOf(Math.max(50, (long) (measure.seconds() * 1000 / ITERATIONS))));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try (InputStream output = process.getInputStream()) {
            String text = new String(output.readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(10, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IOException(String.format(Locale.ROOT, "%s failed: %s", command, text));
            }
            return Double.parseDouble(text.trim());
        } finally {
            process.destroyForcibly();
        }
    }
}
