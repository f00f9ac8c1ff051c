package io.tensorfabric.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** How long and how often a benchmark measures, and where its figures go. */
final class MeasureOptions {

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init")
    CommandSpec command;

    @Option(names = "--seconds", description = "length of each measurement (${DEFAULT-VALUE})")
    double seconds;

    @Option(names = "--rounds", description = "how often each is measured (${DEFAULT-VALUE})")
    int rounds;

    @Option(names = "--csv", description = "file for the figures")
    @Nullable Path csv;

    @Option(names = "--svg", description = "file for a drawing of them")
    @Nullable Path svg;

    @Option(names = "--quick", description = "all of it in under a minute, with less certainty")
    boolean quick;

    /** Sizes of the two ways that pushes go, by the control lane and by bulk lanes: what is measured is warmed up with both. */
    static final List<ByteSize> WARM_UP_SIZES = List.of(new ByteSize(4096), new ByteSize(1L << 20));

    private static final int MOST_WARM_UP_SECONDS = 40;

    private final double quickSeconds;

    /**
     * What a command does unless it is told otherwise.
     *
     * @param quickSeconds length of a measurement with {@code --quick}, which measures once
     */
    MeasureOptions(double seconds, int rounds, double quickSeconds) {
        this.seconds = seconds;
        this.rounds = rounds;
        this.quickSeconds = quickSeconds;
    }

    double seconds() {
        return quick ? Math.min(seconds, quickSeconds) : seconds;
    }

    /** What is to be measured, for a time; returns its rate. */
    interface Work {
        double run(double seconds) throws Exception;
    }

    /**
     * Runs what is to be measured until it gets no faster and the compiler of the JVM, which takes a processor meanwhile, has
     * little left to do. With {@code --quick} only for a moment.
     */
    void warmUp(Work work) throws Exception {
        if (quick) {
            work.run(seconds());
            return;
        }
        WarmUp warmUp = new WarmUp(MOST_WARM_UP_SECONDS);
        CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
        double rate;
        double compiling;
        do {
            long compiled = compiler.getTotalCompilationTime();
            long start = System.nanoTime();
            rate = work.run(1);
            double millis = (System.nanoTime() - start) / 1e6;
            compiling = (compiler.getTotalCompilationTime() - compiled) / millis;
        } while (warmUp.goesOn(rate, compiling));
    }

    int rounds() {
        return quick ? 1 : rounds;
    }

    /** Sizes to measure: with {@code --quick}, and unless the caller chose, fewer. */
    <T> List<T> fewer(List<T> chosen, List<T> all, List<T> few) {
        return quick && chosen.equals(all) ? few : chosen;
    }

    PrintWriter out() {
        return command.commandLine().getOut();
    }

    /** Tells on the standard error what is being done. */
    void progress(String text) {
        PrintWriter err = command.commandLine().getErr();
        err.println("bench " + command.name() + ": " + text);
        err.flush();
    }

    /** Writes the figures where they are wanted. */
    void save(String csvText, String svgText) throws IOException {
        write(csv, csvText);
        write(svg, svgText);
    }

    private static void write(@Nullable Path file, String text) throws IOException {
        if (file != null) {
            Files.writeString(file, text, StandardCharsets.UTF_8);
        }
    }
}
