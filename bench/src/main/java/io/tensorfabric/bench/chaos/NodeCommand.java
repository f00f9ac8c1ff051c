package io.tensorfabric.bench.chaos;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** A node: does what its standard input says, and ends with it. */
@Command(name = "node", hidden = true, description = "A process of the run.")
final class NodeCommand implements Callable<Integer> {

    static final String READY = "chaos ready";

    static final String STATUS = "chaos status ";

    static final String ON = "on";

    static final String OFF = "off";

    static final String ASK = "status";

    @Option(names = "--id", required = true)
    String id = "";

    @Option(names = "--generation", required = true)
    int generation;

    @Option(names = "--seed", required = true)
    long seed;

    @Option(names = "--journal", required = true)
    Path journal = Path.of("");

    @Option(names = "--port", required = true)
    int port;

    @Option(names = "--property", description = "of the application: name=value")
    List<String> more = new ArrayList<>();

    @Option(names = "--peer", required = true, description = "name=url")
    Map<String, String> peers = new LinkedHashMap<>();

    @Override
    public Integer call() throws IOException {
        SpringApplication application = new SpringApplication(ChaosNode.class);
        NodeArguments arguments = new NodeArguments(id, generation, seed, peers);
        Journal events = new Journal(journal);
        application.addInitializers(context -> {
            GenericApplicationContext beans = (GenericApplicationContext) context;
            beans.registerBean(NodeArguments.class, () -> arguments);
            beans.registerBean(Journal.class, () -> events);
            beans.registerBean(Load.class);
        });
        try (ConfigurableApplicationContext context = application.run(properties())) {
            say(READY);
            obey(context.getBean(Load.class));
        }
        return 0;
    }

    private static void obey(Load load) throws IOException {
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String order = orders.readLine(); order != null; order = orders.readLine()) {
            switch (order) {
                case ON -> load.want(true);
                case OFF -> load.want(false);
                case ASK -> say(STATUS + load.status());
                default -> throw new IOException("Not an order: " + order);
            }
        }
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }

    /** Little memory and few threads, and times short enough that a run of seconds sees peers come back. */
    private String[] properties() {
        List<String> properties = new ArrayList<>(List.of(
                "--spring.application.name=chaos-" + id,
                "--spring.main.banner-mode=off",
                "--spring.lifecycle.timeout-per-shutdown-phase=5s",
                "--logging.level.root=WARN",
                "--server.address=127.0.0.1",
                "--server.port=" + port,
                "--server.tomcat.threads.max=12",
                "--management.endpoints.web.exposure.include=health,metrics,fabric,queuepairs",
                "--fabric.node-id=" + id,
                "--fabric.memory.host.slab-size=32MB",
                "--fabric.memory.host.max-size=192MB",
                "--fabric.landing.zone-size=4MB",
                "--fabric.landing.max-dedicated-size=48MB",
                "--fabric.landing.max-dedicated-size-per-peer=24MB",
                "--fabric.landing.dedicated-idle=2s",
                "--fabric.transfer.listener-threads=4",
                "--fabric.transfer.listener-threads-per-peer=2",
                "--fabric.connection.heartbeat-timeout=4s",
                "--fabric.connection.max-reconnect-backoff=2s",
                "--fabric.resilience.circuit-breaker.max-open-wait=2s"));
        more.forEach(property -> properties.add("--" + property));
        int index = 0;
        for (Map.Entry<String, String> peer : peers.entrySet()) {
            properties.add("--fabric.peers[" + index + "].name=" + peer.getKey());
            properties.add("--fabric.peers[" + index + "].url=" + peer.getValue());
            index++;
        }
        return properties.toArray(String[]::new);
    }
}
