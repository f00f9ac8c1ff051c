package io.tensorfabric.service.check;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;

/**
 * Options of a check.
 *
 * @param kind what to check
 * @param url base of the service's REST API
 * @param management base of its Actuator
 * @param peer name of the peer to push to
 * @param peerUrl base of the peer's REST API
 * @param ca certificates to trust, a PEM file, or {@code null} for those of the Java runtime
 * @param timeout longest time for all of it
 * @param discovery longest time of that for the service to hear of the peer
 */
record CheckOptions(
        Kind kind,
        @Nullable URI url,
        URI management,
        @Nullable String peer,
        @Nullable URI peerUrl,
        @Nullable Path ca,
        Duration timeout,
        Duration discovery) {

    static final String USAGE = """
            usage: check health|actuator|preflight|handshake|push [--name=value ...]

              health      whether the service calls itself healthy
              actuator    whether its fabric runs, and on which device
              preflight   what stands between the service and a peer, step by step
              handshake   whether the queue pairs with a peer are RTS at both ends
              push        whether one byte arrives at a peer

              --url=URL         REST API of the service (http://127.0.0.1:8080)
              --management=URL  its Actuator (as --url)
              --peer=NAME       name of the peer, for preflight, handshake and push
              --peer-url=URL    REST API of the peer, for push
              --ca=FILE         certificates to trust, as PEM
              --timeout=TIME    longest time for all of it (60s)
              --discovery=TIME  longest time of that for the service to hear of the peer, for preflight (0s)""";

    private static final URI HERE = URI.create("http://127.0.0.1:8080");

    /** What to check. */
    enum Kind {
        HEALTH,
        ACTUATOR,
        PREFLIGHT,
        HANDSHAKE,
        PUSH
    }

    static CheckOptions parse(List<String> arguments) {
        if (arguments.isEmpty()) {
            throw bad("say what to check");
        }
        Kind kind = kind(arguments.get(0));
        URI url = HERE;
        URI management = null;
        String peer = null;
        URI peerUrl = null;
        Path ca = null;
        Duration timeout = Duration.ofSeconds(60);
        Duration discovery = Duration.ZERO;
        for (String argument : arguments.subList(1, arguments.size())) {
            int equals = argument.indexOf('=');
            String value = argument.substring(equals + 1);
            switch (equals < 0 ? argument : argument.substring(0, equals)) {
                case "--url" -> url = URI.create(value);
                case "--management" -> management = URI.create(value);
                case "--peer" -> peer = value;
                case "--peer-url" -> peerUrl = URI.create(value);
                case "--ca" -> ca = Path.of(value);
                case "--timeout" -> timeout = DurationStyle.detectAndParse(value);
                case "--discovery" -> discovery = DurationStyle.detectAndParse(value);
                default -> throw bad("unknown option " + argument);
            }
        }
        if (peer == null && kind.compareTo(Kind.PREFLIGHT) >= 0) {
            throw bad("--peer is missing");
        }
        if (peerUrl == null && kind == Kind.PUSH) {
            throw bad("--peer-url is missing");
        }
        return new CheckOptions(
                kind, url, management == null ? url : management, peer, peerUrl, ca, timeout, discovery);
    }

    private static Kind kind(String name) {
        return Arrays.stream(Kind.values())
                .filter(kind -> kind.name().toLowerCase(Locale.ROOT).equals(name))
                .findFirst()
                .orElseThrow(() -> bad("unknown check " + name));
    }

    private static IllegalArgumentException bad(String why) {
        return new IllegalArgumentException(why + "\n" + USAGE);
    }
}
