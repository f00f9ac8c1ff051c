package io.tensorfabric.service.push;

import io.tensorfabric.connection.PeerDirectory;
import io.tensorfabric.service.store.NoSuchTensorException;
import io.tensorfabric.service.store.StoredTensor;
import io.tensorfabric.service.store.TensorFile;
import io.tensorfabric.service.store.TensorStore;
import io.tensorfabric.transfer.PushOptions;
import io.tensorfabric.transfer.ReceiptLevel;
import io.tensorfabric.transfer.TensorTransferService;
import io.tensorfabric.transfer.TransferException;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.stereotype.Service;

/** Runs pushes and remembers the latest ones. Thread-safe. */
@Service
class PushService {

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

    PushService(TensorStore store, TensorTransferService transfers, PeerDirectory peers, PushProperties properties) {
        this.store = store;
        this.transfers = transfers;
        this.peers = peers;
        this.properties = properties;
    }

    PushJob start(String fileId, PushRequest request) {
        TensorFile file = store.file(fileId);
        if (peers.find(request.peer()) == null) {
            throw new TransferException(
                    TransferException.Kind.UNKNOWN_PEER,
                    request.peer(),
                    "There is no peer '" + request.peer() + "'. Configure it under fabric.peers");
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
                throw new TransferException(
                        TransferException.Kind.BACKPRESSURE,
                        "",
                        "There are " + properties.maxRunning() + " pushes running already. Try again later");
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
