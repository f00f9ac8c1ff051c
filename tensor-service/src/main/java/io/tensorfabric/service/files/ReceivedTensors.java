package io.tensorfabric.service.files;

import io.tensorfabric.service.store.FileTooLargeException;
import io.tensorfabric.service.store.StoreFullException;
import io.tensorfabric.service.store.TensorFile;
import io.tensorfabric.service.store.TensorMemory;
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

    private final TensorMemory memory;

    private TensorListenerRegistry.@Nullable Registration registration;

    ReceivedTensors(TensorListenerRegistry listeners, TensorStore store, TensorMemory memory) {
        this.listeners = listeners;
        this.store = store;
        this.memory = memory;
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
        Tensor tensor = received.tensor();
        return Tensor.of(tensor.descriptor(), tensor.address(), tensor.kind(), received);
    }

    private Tensor copy(ReceivedTensor received) {
        Tensor copy = memory.copy(received.tensor(), "received from " + received.peer());
        received.close();
        return copy;
    }
}
