package io.tensorfabric.service.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.tensor.DataType;
import io.tensorfabric.tensor.Shape;
import io.tensorfabric.tensor.Tensor;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.util.unit.DataSize;

class TensorStoreTest {

    private final TensorStore store = new TensorStore(new StoreProperties(DataSize.ofBytes(100), 2, 3));

    private long allocatedBefore;

    @BeforeEach
    void remember() {
        allocatedBefore = OffHeap.allocatedBytes();
    }

    @AfterEach
    void whenTheStoreStopsThenNoMemoryIsLeft() {
        store.stop();
        assertThat(OffHeap.allocatedBytes()).isEqualTo(allocatedBefore);
        assertThat(store.usedBytes()).isZero();
    }

    @Test
    void whenATensorIsStoredThenItsFileHasIt() {
        TensorFile file = upload("f", tensor("t", 10));

        assertThat(store.file(file.id()).tensor("t").descriptor().byteLength()).isEqualTo(10);
        assertThat(store.usedBytes()).isEqualTo(10);
    }

    @Test
    void whenTheBudgetIsUsedUpThenReservingFailsAndTakesNothing() {
        upload("f", tensor("t", 60));

        assertThatThrownBy(() -> store.reserve(41))
                .isInstanceOf(StoreFullException.class)
                .hasMessageContaining("40 of 100 bytes left")
                .hasMessageContaining("tensor-service.store.max-size");
        assertThat(store.usedBytes()).isEqualTo(60);
    }

    @Test
    void whenAFileCouldNeverFitThenItIsTooLargeRatherThanTheStoreFull() {
        assertThatThrownBy(() -> store.checkRoom(101, 1)).isInstanceOf(FileTooLargeException.class);
        assertThatThrownBy(() -> store.checkRoom(1, 4)).isInstanceOf(FileTooLargeException.class);
    }

    @Test
    void whenTooManyFilesAreAddedThenTheStoreIsFull() {
        upload("a");
        upload("b");

        assertThatThrownBy(() -> upload("c"))
                .isInstanceOf(StoreFullException.class)
                .hasMessageContaining("max-files");
    }

    @Test
    void whenAReservationIsClosedUnusedThenTheRoomComesBack() {
        store.reserve(100).close();

        assertThat(store.usedBytes()).isZero();
    }

    @Test
    void whenATensorOfTheSameNameArrivesThenItReplacesTheOldOne() {
        TensorFile file = store.received("peer", "f");
        store.reserve(10).store(file, tensor("t", 10));
        store.reserve(20).store(file, tensor("t", 20));

        assertThat(file.tensors()).hasSize(1);
        assertThat(store.usedBytes()).isEqualTo(20);
    }

    @Test
    void whenAFileIsDeletedWhileInUseThenItsMemoryStaysUntilTheUseEnds() {
        TensorFile file = upload("f", tensor("t", 10));
        StoredTensor.Use use = file.tensor("t").use();

        store.delete(file.id());

        assertThat(store.usedBytes()).isEqualTo(10);
        assertThat(use.tensor().isClosed()).isFalse();
        use.close();
        use.close();
        assertThat(store.usedBytes()).isZero();
        assertThat(use.tensor().isClosed()).isTrue();
    }

    @Test
    void whenAFileIsDeletedThenItAndItsTensorsAreNotFound() {
        TensorFile file = upload("f", tensor("t", 10));
        StoredTensor tensor = file.tensor("t");
        store.delete(file.id());

        assertThatThrownBy(() -> store.file(file.id())).isInstanceOf(NoSuchTensorException.class);
        assertThatThrownBy(() -> store.delete(file.id())).isInstanceOf(NoSuchTensorException.class);
        assertThatThrownBy(tensor::use).isInstanceOf(NoSuchTensorException.class);
    }

    @Test
    void whenAFileWasDeletedThenALateTensorIsRefusedAndFreed() {
        TensorFile file = store.received("peer", "f");
        store.delete(file.id());

        assertThatThrownBy(() -> store.reserve(10).store(file, tensor("t", 10)))
                .isInstanceOf(NoSuchTensorException.class);
        assertThat(store.usedBytes()).isZero();
    }

    @Test
    void whenPeersPushTheSameFileNameThenTheyDoNotShareAFile() {
        TensorFile one = store.received("one", "f");

        assertThat(store.received("one", "f")).isSameAs(one);
        assertThat(store.received("two", "f")).isNotSameAs(one);
        assertThat(store.files("one")).containsExactly(one);
        assertThat(store.files(null)).hasSize(2);
    }

    @Test
    void whenAReceivedFileNameHasControlCharactersThenItIsRefused() {
        assertThatThrownBy(() -> store.received("peer", "a\u0000b")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> store.received("peer", "")).isInstanceOf(IllegalArgumentException.class);
    }

    private TensorFile upload(String name, Tensor... tensors) {
        TensorFile file = store.newFile(name, Map.of());
        for (Tensor tensor : tensors) {
            store.reserve(tensor.byteLength()).store(file, tensor);
        }
        store.add(file);
        return file;
    }

    private static Tensor tensor(String name, int bytes) {
        return Tensor.copyOf(name, DataType.U8, Shape.of(bytes), new byte[bytes]);
    }
}
