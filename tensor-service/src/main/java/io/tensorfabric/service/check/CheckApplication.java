package io.tensorfabric.service.check;

import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;

/** The program behind the argument {@code check} of the service's jar. */
public final class CheckApplication {

    private CheckApplication() {}

    /**
     * Runs a check on the console; see the other.
     *
     * @param arguments what follows {@code check}
     * @return 0 when it passed
     */
    public static int run(List<String> arguments) {
        return run(arguments, System.out, System.err);
    }

    /**
     * Runs a check and prints what it found.
     *
     * @param arguments what follows {@code check}
     * @return 0 when it passed
     */
    static int run(List<String> arguments, PrintStream out, PrintStream err) {
        try {
            CheckOptions options = CheckOptions.parse(arguments);
            new CheckRun(options, new CheckClient(options.ca(), options.timeout()), out).execute();
            out.println("check " + options.kind().name().toLowerCase(Locale.ROOT) + " ok");
            return 0;
        } catch (CheckFailure | IllegalArgumentException | IOException e) {
            err.println("check failed: " + e.getMessage());
            return 1;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            err.println("check failed: interrupted");
            return 1;
        }
    }
}
