package io.tensorfabric.service.demo;

import java.io.IOException;
import java.io.PrintStream;
import java.util.Locale;

/**
 * The client of {@code ./dev demo}: uploads a file to service A, has it pushed to service B, downloads it from B and
 * compares the SHA-256 of every tensor. Exits with 0 only when all are equal.
 */
public final class DemoApplication {

    private DemoApplication() {}

    /** Runs the demo; {@code --help} tells the options. */
    public static void main(String[] args) {
        System.exit(run(args, System.out, System.err));
    }

    static int run(String[] args, PrintStream out, PrintStream err) {
        try {
            DemoOptions options = DemoOptions.parse(args);
            if (options.help()) {
                out.println(DemoOptions.USAGE);
                return 0;
            }
            runDemo(options, out);
            return 0;
        } catch (DemoFailure | IllegalArgumentException | IOException ex) {
            err.println("demo failed: " + ex.getMessage());
            return 1;
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            err.println("demo failed: interrupted");
            return 1;
        }
    }

    private static void runDemo(DemoOptions options, PrintStream out) throws IOException, InterruptedException {
        try (DemoFile file = DemoFile.of(options, out)) {
            ServiceClient a = new ServiceClient("A", options.a());
            ServiceClient b = new ServiceClient("B", options.b());
            DemoRun run = new DemoRun(a, b, options.peer(), options.deadline(), out);
            DemoResult result = run.execute(file);
            new DemoReport(out).print(result, a, b);
            out.printf(
                    Locale.ROOT,
                    "demo ok: %d tensors, %d bytes, sha256 equal, %.3f GB/s%n",
                    result.tensors(),
                    result.bytes(),
                    result.gigabytesPerSecond());
        }
    }
}
