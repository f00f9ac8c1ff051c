package io.tensorfabric.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The process of the peers: has as many of them connected as its standard input says, a number on each line, and runs until
 * that ends.
 */
@Command(name = "idle-peers", hidden = true, description = "A process of peers that are connected.")
final class IdlePeersCommand implements Callable<Integer> {

    /** Most of the time of a handshake is waiting. */
    private static final int AT_ONCE = 8;

    @Option(names = "--url", required = true)
    String url = "";

    @Option(names = "--most", required = true)
    int most;

    @Option(names = "--zone", required = true)
    ByteSize zone = new ByteSize(0);

    @Option(names = "--pushes", required = true)
    int pushes;

    @Option(names = "--argument", description = "of the applications")
    List<String> arguments = List.of();

    @Override
    public Integer call() throws Exception {
        // As Spring Boot does it for an application, which these are not.
        LoggingSystem.get(IdlePeersCommand.class.getClassLoader())
                .setLogLevel(LoggingSystem.ROOT_LOGGER_NAME, LogLevel.WARN);
        List<IdlePeer> peers = new ArrayList<>();
        for (int i = 0; i < most; i++) {
            peers.add(IdlePeer.prepare(i, url, zone, arguments));
        }
        System.out.println(NodeCommand.READY + "peers=0");
        ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE);
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            connect(peers, Integer.parseInt(line), pushes, threads);
            System.out.println(NodeCommand.DONE + line);
        }
        // Without a farewell of each: the process that started this one does not wait for that.
        Runtime.getRuntime().halt(0);
        return 0;
    }

    private static void connect(List<IdlePeer> peers, int wanted, int pushes, ExecutorService threads)
            throws Exception {
        if (wanted < 1 || wanted > peers.size()) {
            throw new IOException("There are 1 to " + peers.size() + " peers, not " + wanted);
        }
        List<Callable<Void>> steps = new ArrayList<>();
        for (int i = 0; i < peers.size(); i++) {
            IdlePeer peer = peers.get(i);
            boolean connected = i < wanted;
            steps.add(() -> {
                if (connected) {
                    peer.connect(pushes);
                } else {
                    peer.end();
                }
                return null;
            });
        }
        for (Future<Void> step : threads.invokeAll(steps)) {
            step.get();
        }
    }
}
