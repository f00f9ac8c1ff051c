package io.tensorfabric.autoconfigure.observation;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.tensorfabric.observation.DefaultPushObservationConvention;
import io.tensorfabric.observation.DefaultRegionObservationConvention;
import io.tensorfabric.observation.FabricObservation;
import io.tensorfabric.observation.PushObservationContext;
import io.tensorfabric.observation.PushObservationConvention;
import io.tensorfabric.observation.RegionObservationContext;
import io.tensorfabric.observation.RegionObservationConvention;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.transfer.PublishOptions;
import io.tensorfabric.transfer.PublishedTensor;
import io.tensorfabric.transfer.PushOptions;
import io.tensorfabric.transfer.RegionOptions;
import io.tensorfabric.transfer.TensorTransferService;
import io.tensorfabric.transfer.TransferReceipt;
import io.tensorfabric.transfer.TransferStatus;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Observes each push, and sends the headers of the tracer along where there is room for them. Thread-safe. */
final class ObservedTransfers implements TensorTransferService {

    private static final PushObservationConvention DEFAULT = new DefaultPushObservationConvention();

    private static final RegionObservationConvention PULLS = new DefaultRegionObservationConvention("pull");

    private static final RegionObservationConvention PUTS = new DefaultRegionObservationConvention("put");

    /** As many as a message takes. */
    private static final int MAX_HEADERS = 64;

    private final TensorTransferService delegate;

    private final ObservationRegistry registry;

    private final @Nullable PushObservationConvention convention;

    private final int maxHeaderBytes;

    ObservedTransfers(
            TensorTransferService delegate,
            ObservationRegistry registry,
            @Nullable PushObservationConvention convention,
            int maxHeaderBytes) {
        this.delegate = delegate;
        this.registry = registry;
        this.convention = convention;
        this.maxHeaderBytes = maxHeaderBytes;
    }

    @Override
    public CompletableFuture<TransferReceipt> push(String peer, Tensor tensor, PushOptions options) {
        if (registry.isNoop()) {
            return delegate.push(peer, tensor, options);
        }
        PushObservationContext context = new PushObservationContext(peer, tensor.descriptor(), options.headers());
        return observe(context, () -> delegate.push(peer, tensor, traced(options, context.getCarrier())));
    }

    @Override
    public CompletableFuture<List<TransferReceipt>> pushAll(
            String peer, Collection<Tensor> tensors, PushOptions options) {
        if (registry.isNoop() || tensors.isEmpty()) {
            return delegate.pushAll(peer, tensors, options);
        }
        PushObservationContext context = new PushObservationContext(
                peer, tensors.stream().map(Tensor::descriptor).toList(), options.headers());
        return observe(context, () -> delegate.pushAll(peer, tensors, traced(options, context.getCarrier())));
    }

    private <T> CompletableFuture<T> observe(PushObservationContext context, Supplier<CompletableFuture<T>> call) {
        Observation observation = FabricObservation.PUSH
                .observation(convention, DEFAULT, () -> context, registry)
                .start();
        return stopAtTheEnd(observation, call);
    }

    /** A trace that finds no room is no reason to fail the push. */
    private PushOptions traced(PushOptions options, @Nullable Map<String, String> headers) {
        if (headers == null || headers.size() == options.headers().size() || headers.size() > MAX_HEADERS) {
            return options;
        }
        int bytes = 0;
        for (Map.Entry<String, String> header : headers.entrySet()) {
            bytes += header.getKey().getBytes(StandardCharsets.UTF_8).length
                    + header.getValue().getBytes(StandardCharsets.UTF_8).length;
        }
        return bytes > maxHeaderBytes ? options : options.withHeaders(headers);
    }

    @Override
    public PublishedTensor publish(Tensor tensor, PublishOptions options) {
        return delegate.publish(tensor, options);
    }

    @Override
    public CompletableFuture<TransferReceipt> pull(String peer, String name, Tensor into, RegionOptions options) {
        return observe(
                FabricObservation.PULL,
                PULLS,
                new RegionObservationContext("pull", peer, name),
                () -> delegate.pull(peer, name, into, options));
    }

    @Override
    public CompletableFuture<Tensor> pull(String peer, String name, RegionOptions options) {
        return observe(
                FabricObservation.PULL,
                PULLS,
                new RegionObservationContext("pull", peer, name),
                () -> delegate.pull(peer, name, options));
    }

    @Override
    public CompletableFuture<TransferReceipt> put(String peer, String name, Tensor tensor, RegionOptions options) {
        return observe(
                FabricObservation.PUT,
                PUTS,
                new RegionObservationContext("put", peer, name),
                () -> delegate.put(peer, name, tensor, options));
    }

    private <T> CompletableFuture<T> observe(
            FabricObservation documented,
            RegionObservationConvention usual,
            RegionObservationContext context,
            Supplier<CompletableFuture<T>> call) {
        if (registry.isNoop()) {
            return call.get();
        }
        Observation observation =
                documented.observation(null, usual, () -> context, registry).start();
        return stopAtTheEnd(observation, call);
    }

    private static <T> CompletableFuture<T> stopAtTheEnd(Observation observation, Supplier<CompletableFuture<T>> call) {
        if (observation.isNoop()) {
            return call.get();
        }
        CompletableFuture<T> transfer;
        try {
            transfer = call.get();
        } catch (RuntimeException ex) {
            observation.error(ex);
            observation.stop();
            throw ex;
        }
        transfer.whenComplete((result, failure) -> {
            if (failure != null) {
                observation.error(failure);
            }
            observation.stop();
        });
        return transfer;
    }

    @Override
    public List<PublishedTensor> published() {
        return delegate.published();
    }

    @Override
    public List<TransferStatus> transfers() {
        return delegate.transfers();
    }
}
