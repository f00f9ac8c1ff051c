package io.tensorfabric.service.push;

import io.tensorfabric.connection.PeerDirectory;
import io.tensorfabric.service.store.NoSuchTensorException;
import io.tensorfabric.service.store.StoredTensor;
import io.tensorfabric.service.store.TensorFile;
import io.tensorfabric.service.store.TensorStore;
import io.tensorfabric.transfer.BackpressureException;
import io.tensorfabric.transfer.LandingKind;
import io.tensorfabric.transfer.PushOptions;
import io.tensorfabric.transfer.ReceiptLevel;
import io.tensorfabric.transfer.TensorTransferService;
import io.tensorfabric.transfer.TransferException;
import io.tensorfabric.transfer.TransferPriority;
import io.tensorfabric.transfer.TransfersClosedException;
import io.tensorfabric.transfer.UnknownPeerException;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Service;

/**
 * Runs pushes and remembers the latest ones. When the application ends, it stops first, while the web server still answers:
 * new pushes are refused, those that run get the time of a shutdown phase, and the rest fails. Thread-safe.
 */
@Service
class PushService implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(PushService.class);

    private static final String SHUTTING_DOWN = "This service is shutting down";

    private static final int THREADS = 2;

    private final TensorStore store;

    private final TensorTransferService transfers;

    private final PeerDirectory peers;

    private final PushProperties properties;

    private final ExecutorService executor = Executors.newFixedThreadPool(THREADS, runnable -> {
        Thread thread = new Thread(runnable, "tensor-service-push");
        thread.setDaemon(true);
        return thread;
    });

    private final Map<String, PushJob> jobs = new LinkedHashMap<>();

    private final Duration grace;

    private volatile boolean running;

    PushService(
            TensorStore store,
            TensorTransferService transfers,
            PeerDirectory peers,
            PushProperties properties,
            @Value("${spring.lifecycle.timeout-per-shutdown-phase:30s}") Duration phaseTimeout) {
        this.grace = phaseTimeout.dividedBy(10).multipliedBy(8);
        this.store = store;
        this.transfers = transfers;
        this.peers = peers;
        this.properties = properties;
    }

    @Override
    public void start() {
        running = true;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Before the web server, and all else that has a part in pushes. */
    @Override
    public int getPhase() {
        return Integer.MAX_VALUE - 10;
    }

    @Override
    public void stop() {
        running = false;
        List<PushJob> ending = all();
        try {
            CompletableFuture.allOf(ending.stream().map(PushJob::done).toArray(CompletableFuture[]::new))
                    .get(grace.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException ex) {
            log.warn("Pushes still run after {}, and are stopped", grace);
        } catch (ExecutionException ex) {
            log.error("A push ended in a way that it must not", ex);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
        ending.forEach(job -> job.abort(shuttingDown(job.peer())));
    }

    private static TransferException shuttingDown(String peer) {
        return new TransfersClosedException(peer, SHUTTING_DOWN, null);
    }

    PushJob start(String fileId, PushRequest request) {
        if (!running) {
            throw shuttingDown(request.peer());
        }
        TensorFile file = store.file(fileId);
        if (peers.find(request.peer()) == null) {
            throw new UnknownPeerException(
                    request.peer(), "There is no peer '" + request.peer() + "'. Configure it under fabric.peers", null);
        }
        PushOptions options = options(file, request);
        List<StoredTensor.Use> uses = uses(file, request);
        PushJob job = new PushJob(file.id(), request.peer(), uses, options, transfers, executor);
        try {
            remember(job);
        } catch (RuntimeException ex) {
            uses.forEach(StoredTensor.Use::close);
            throw ex;
        }
        job.start(properties.window());
        return job;
    }

    PushJob find(String id) {
        synchronized (jobs) {
            PushJob job = jobs.get(id);
            if (job == null) {
                throw new NoSuchTensorException("There is no push '" + id + "'");
            }
            return job;
        }
    }

    List<PushJob> all() {
        synchronized (jobs) {
            return List.copyOf(jobs.values());
        }
    }

    private void remember(PushJob job) {
        synchronized (jobs) {
            List<String> ended = jobs.values().stream()
                    .filter(known -> known.done().isDone())
                    .map(PushJob::id)
                    .toList();
            if (jobs.size() - ended.size() >= properties.maxRunning()) {
                throw new BackpressureException(
                        "",
                        "There are " + properties.maxRunning() + " pushes running already. Try again later",
                        null,
                        null);
            }
            ended.stream()
                    .limit(Math.max(0, ended.size() - properties.history()))
                    .forEach(jobs::remove);
            jobs.put(job.id(), job);
        }
    }

    private static List<StoredTensor.Use> uses(TensorFile file, PushRequest request) {
        List<StoredTensor> wanted = request.tensor() == null ? file.tensors() : List.of(file.tensor(request.tensor()));
        List<StoredTensor.Use> uses = new ArrayList<>(wanted.size());
        try {
            wanted.forEach(tensor -> uses.add(tensor.use()));
        } catch (RuntimeException ex) {
            uses.forEach(StoredTensor.Use::close);
            throw ex;
        }
        return uses;
    }

    private static PushOptions options(TensorFile file, PushRequest request) {
        PushOptions options = PushOptions.defaults()
                .withReceipt(request.receipt() == null ? ReceiptLevel.PROCESSED : request.receipt())
                .withChecksum(Boolean.TRUE.equals(request.checksum()))
                .withPriority(request.priority() == null ? TransferPriority.NORMAL : request.priority())
                .withLanding(request.landing() == null ? LandingKind.ANY : request.landing())
                .withHeaders(Map.of(TensorFile.HEADER, file.name()));
        return request.deadline() == null ? options : options.withDeadline(deadline(request.deadline()));
    }

    private static Duration deadline(String text) {
        if (text.isBlank() || Character.isDigit(text.charAt(text.length() - 1))) {
            throw new IllegalArgumentException("A deadline needs a unit, such as 30s, not '" + text + "'");
        }
        return DurationStyle.detectAndParse(text);
    }

    @PreDestroy
    void close() {
        executor.shutdown();
    }
}
