package io.tensorfabric.verbs.ibverbs;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs {@link ProviderReport} in a process of its own and returns what it printed. */
final class ChildJvm {

    private static final int PATIENCE_SECONDS = 120;

    private final List<String> options = new ArrayList<>();

    private final List<String> arguments = new ArrayList<>();

    private final List<String> prefix = new ArrayList<>();

    private String classPath = Shim.classPath();

    ChildJvm option(String option) {
        options.add(option);
        return this;
    }

    /** What is put before the command, such as a program that runs it. */
    ChildJvm prefix(List<String> words) {
        prefix.addAll(words);
        return this;
    }

    ChildJvm argument(String argument) {
        arguments.add(argument);
        return this;
    }

    ChildJvm classPath(String path) {
        classPath = path;
        return this;
    }

    /** Standard output and standard error; fails unless the process ends with 0. */
    String run(Path folder) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(prefix);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx64m"));
        command.addAll(options);
        command.addAll(List.of("-cp", classPath, ProviderReport.class.getName()));
        command.addAll(arguments);
        Path log = Files.createTempFile(folder, "child", ".log");
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        boolean ended = process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (!ended) {
            process.destroyForcibly().waitFor();
        }
        String output = Files.readString(log, StandardCharsets.UTF_8);
        if (!ended || process.exitValue() != 0) {
            throw new AssertionError("The child process "
                    + (ended ? "ended with " + process.exitValue() : "did not end") + ":\n" + output);
        }
        return output;
    }
}
