package io.tensorfabric.service.dashboard;

import io.swagger.v3.oas.annotations.Hidden;
import java.net.URI;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** What the page asks for. */
@Hidden
@RestController
@ConditionalOnBooleanProperty(name = DashboardPage.PROPERTY, matchIfMissing = true)
class DashboardController {

    private static final URI PAGE = URI.create("/fabric/page/index.html");

    private final EndpointReader endpoints;

    DashboardController(EndpointReader endpoints) {
        this.endpoints = endpoints;
    }

    /**
     * All that the page shows; a part is null when its endpoint is not exposed.
     *
     * @param time of this node
     */
    record State(
            Instant time,
            @Nullable Object overview,
            @Nullable Object pools,
            @Nullable Object topology,
            @Nullable Object transfers,
            @Nullable Object queuePairs,
            @Nullable Object completionQueues) {}

    @GetMapping({"/fabric", "/fabric/"})
    ResponseEntity<Void> page() {
        return ResponseEntity.status(HttpStatus.FOUND).location(PAGE).build();
    }

    @GetMapping("/fabric/state")
    ResponseEntity<State> state() {
        State state = new State(
                Instant.now(),
                endpoints.read("fabric", Map.of()),
                section("pools"),
                section("topology"),
                section("transfers"),
                endpoints.read("queuepairs", Map.of()),
                endpoints.read("completionqueues", Map.of()));
        return ResponseEntity.ok().cacheControl(CacheControl.noStore()).body(state);
    }

    private @Nullable Object section(String name) {
        return endpoints.read("fabric/{section}", Map.of("section", name));
    }

    /** Pages of others cannot make a browser send this type of content. */
    @PostMapping(path = "/fabric/preflight/{peer}", consumes = MediaType.APPLICATION_JSON_VALUE)
    Object preflight(@PathVariable String peer) {
        Object report;
        try {
            report = endpoints.write("fabric/{action}/{peer}", Map.of("action", "preflight", "peer", peer));
        } catch (InvalidEndpointRequestException ex) {
            throw new ResponseStatusException(HttpStatus.BAD_REQUEST, ex.getReason(), ex);
        }
        if (report == null) {
            throw new ResponseStatusException(
                    HttpStatus.NOT_FOUND,
                    "The endpoint 'fabric' is not exposed: see management.endpoints.web.exposure");
        }
        return report;
    }
}
