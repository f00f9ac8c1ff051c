package io.tensorfabric.bench;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The command line of the benchmarks. */
@Command(
        name = "./dev bench",
        description = "Measures pushes beside other ways to move the same bytes, in one run.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            PushCommand.class,
            TuneCommand.class,
            PeersCommand.class,
            RoceCommand.class,
            JniCommand.class,
            IdleCommand.class,
            NodeCommand.class,
            IdlePeersCommand.class
        })
public final class BenchApplication {

    private BenchApplication() {}

    /**
     * Runs a benchmark and exits.
     *
     * @param args a command and its options; see {@code --help}
     */
    public static void main(String[] args) {
        System.exit(commandLine().execute(args));
    }

    static CommandLine commandLine() {
        return new CommandLine(new BenchApplication())
                .registerConverter(ByteSize.class, ByteSize::parse)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionExceptionHandler((failure, command, parsed) -> {
                    command.getErr().println("error: " + Failures.describe(failure));
                    return command.getCommandSpec().exitCodeOnExecutionException();
                });
    }
}
