package io.tensorfabric.service.files;

import io.tensorfabric.memory.BufferLease;
import io.tensorfabric.memory.MemoryRegionPool;
import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.service.store.FileTooLargeException;
import io.tensorfabric.service.store.StoreFullException;
import io.tensorfabric.service.store.TensorFile;
import io.tensorfabric.service.store.TensorStore;
import io.tensorfabric.tensor.Tensor;
import io.tensorfabric.transfer.ReceivedTensor;
import io.tensorfabric.transfer.TensorListenerRegistry;
import io.tensorfabric.transfer.TensorRefusedException;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Puts what arrives into the store. A tensor in a zone of its own stays where it landed; others are copied, so that the
 * landing zone stays free.
 */
@Component
class ReceivedTensors {

    private static final String NO_FILE = "received.safetensors";

    private final TensorListenerRegistry listeners;

    private final TensorStore store;

    private final MemoryRegionPool pool;

    private TensorListenerRegistry.@Nullable Registration registration;

    ReceivedTensors(TensorListenerRegistry listeners, TensorStore store, MemoryRegionPool pool) {
        this.listeners = listeners;
        this.store = store;
        this.pool = pool;
    }

    @PostConstruct
    void register() {
        registration = listeners.register("tensor-service", "*", "*", this::receive);
    }

    @PreDestroy
    void unregister() {
        if (registration != null) {
            registration.close();
        }
    }

    private void receive(ReceivedTensor received) {
        String name = received.headers().getOrDefault(TensorFile.HEADER, NO_FILE);
        try (TensorStore.Reservation reservation =
                store.reserve(received.tensor().byteLength())) {
            Tensor kept = received.dedicatedZone() ? inPlace(received) : copy(received);
            reservation.store(store.received(received.peer(), name), kept);
        } catch (StoreFullException ex) {
            throw new TensorRefusedException(String.valueOf(ex.getMessage()), true, ex);
        } catch (FileTooLargeException ex) {
            throw new TensorRefusedException(String.valueOf(ex.getMessage()), false, ex);
        }
    }

    private static Tensor inPlace(ReceivedTensor received) {
        return Tensor.of(received.tensor().descriptor(), received.tensor().address(), received);
    }

    private Tensor copy(ReceivedTensor received) {
        Tensor tensor = received.tensor();
        BufferLease lease = pool.acquire(tensor.byteLength(), "received from " + received.peer());
        if (tensor.byteLength() > 0) {
            OffHeap.copy(tensor.address(), lease.address(), tensor.byteLength());
        }
        Tensor copy = Tensor.of(tensor.descriptor(), lease.address(), lease);
        received.close();
        return copy;
    }
}
