package io.tensorfabric.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.connection.ConnectionException;
import io.tensorfabric.connection.SharedMemoryRequest;
import io.tensorfabric.connection.ZoneGrant;
import io.tensorfabric.memory.cuda.StubPlatform;
import io.tensorfabric.testing.LocalNetwork;
import io.tensorfabric.testing.TwoNodes;
import io.tensorfabric.testing.cuda.StubCuda;
import io.tensorfabric.transfer.GpuPair.Side;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is opened to whom by CUDA IPC, when it fails, and how it ends. */
class CudaIpcSafetyTest extends CudaIpcFixture {

    @Test
    void whenHandlesCannotBeOpenedThenAnotherPathIsTakenWithTheReasonAndPeerFreesItsMemory() throws Exception {
        try (GpuPair pair = sharing()) {
            StubCuda.set("ipc-self", 0);
            long memory = GpuPair.allocate(MIB);
            byte[] bytes = fill(memory, MIB);

            assertThat(pushed(pair, memory, MIB).path()).isEqualTo(TransferPath.HOST_STAGED);

            assertArrived(pair, bytes);
            assertThat(status(pair).state()).isEqualTo(CudaIpcStatus.State.OFF);
            assertThat(status(pair).reason()).contains("cuIpcOpenMemHandle").contains("CUDA_ERROR_INVALID_CONTEXT");
            await().atMost(PATIENCE).until(() -> pair.gpuOfB().exports() == 0);
            assertThat(pushed(pair, memory, 1000).path()).isEqualTo(TransferPath.HOST_STAGED);
            assertThat(StubCuda.calls("cuIpcOpenMemHandle")).isEqualTo(1);
            GpuPair.free(memory);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"cuIpcGetMemHandle", "cuIpcOpenMemHandle", "cuMemcpyDtoDAsync", "cuMemsetD8Async"})
    void whenTheDriverFailsWhileItIsNegotiatedThenAnotherPathIsTakenAndNothingIsLeft(String call) throws Exception {
        try (GpuPair pair = sharing()) {
            long memory = GpuPair.allocate(MIB);
            byte[] bytes = fill(memory, MIB);
            StubCuda.fail(call, 801, 0, 1);

            assertThat(pushed(pair, memory, MIB).path()).isEqualTo(TransferPath.HOST_STAGED);

            assertArrived(pair, bytes);
            assertThat(status(pair).reason()).contains(call).contains("CUDA_ERROR_NOT_SUPPORTED");
            await().atMost(PATIENCE)
                    .until(() -> pair.gpuOfB().exports() == 0 && pair.gpuOfA().imports() == 0);
            GpuPair.free(memory);
        }
    }

    @Test
    void whenAnotherMemoryIsOpenedThanThePeerMeantThenItIsNotWrittenTo() throws Exception {
        try (GpuPair pair = sharing()) {
            long memory = GpuPair.allocate(MIB);
            byte[] bytes = fill(memory, MIB);
            try (AutoCloseable changed = changeProofs(pair)) {
                assertThat(changed).isNotNull();
                assertThat(pushed(pair, memory, MIB).path()).isEqualTo(TransferPath.HOST_STAGED);
            }
            assertArrived(pair, bytes);
            assertThat(status(pair).reason()).contains("not the memory that the peer meant");
            GpuPair.free(memory);
        }
    }

    /** Changes the first bytes of each zone while its grant is on its way. */
    private static AutoCloseable changeProofs(GpuPair pair) {
        pair.nodes.network().setHook(new LocalNetwork.Hook() {
            @Override
            public void response(LocalNetwork.Call call, String from, String to) {
                if (call == LocalNetwork.Call.OPEN_ZONE) {
                    StubPlatform.exported(pair.gpuOfB()).forEach(address -> StubCuda.write(address, new byte[16]));
                }
            }
        });
        return () -> pair.nodes.network().setHook(new LocalNetwork.Hook() {});
    }

    @Test
    void whenThePeerCannotAnswerYetThenItIsAskedAgain() throws Exception {
        try (GpuPair pair = sharing()) {
            AtomicInteger asked = new AtomicInteger();
            pair.nodes.network().setHook(new LocalNetwork.Hook() {
                @Override
                public void request(LocalNetwork.Call call, String from, String to) {
                    if (call == LocalNetwork.Call.OPEN_ZONE && asked.incrementAndGet() < 4) {
                        throw new ConnectionException(ConnectionException.Kind.CONFLICT, to, "not UP yet");
                    }
                }
            });
            long memory = GpuPair.allocate(MIB);
            assertThat(pushed(pair, memory, MIB).path()).isEqualTo(TransferPath.CUDA_IPC);
            arrived(pair).close();
            assertThat(asked).hasValue(4);
            GpuPair.free(memory);
        }
    }

    @Test
    void whenPeersTensorsLandInItsHostMemoryThenItIsNotAsked() throws Exception {
        try (GpuPair pair = GpuPair.sharing(Side.STAGED, Side.HOST, TransferOptions.builder())) {
            long memory = GpuPair.allocate(MIB);
            assertThat(pushed(pair, memory, MIB).path()).isEqualTo(TransferPath.HOST_STAGED);
            arrived(pair).close();
            assertThat(status(pair).reason()).contains("host memory of the peer");
            assertThat(StubCuda.calls("cuIpcGetMemHandle")).isZero();
            GpuPair.free(memory);
        }
    }

    @Test
    void whenAProcessOfAnotherHostAsksThenItGetsNoHandle() throws Exception {
        try (GpuPair pair = sharing()) {
            pair.nodes.connect();
            SharedMemoryRequest foreign = new SharedMemoryRequest("00112233445566778899aabbccddeeff", 1, 1, List.of());
            assertThatThrownBy(() -> pair.b().openSharedZone(pair.nodes.otherEnd(), 0, foreign))
                    .isInstanceOf(ConnectionException.class)
                    .hasMessageContaining("another host");
            assertThat(StubCuda.calls("cuIpcGetMemHandle")).isZero();
        }
    }

    @Test
    void whenAPeerAsksForAbsurdSizesThenItIsRefusedAndNothingIsTaken() throws Exception {
        try (GpuPair pair = sharing()) {
            pair.nodes.connect();
            ThisProcess self = ThisProcess.current();
            SharedMemoryRequest request = new SharedMemoryRequest(self.host(), self.id(), self.started(), null);
            for (long bytes : new long[] {Long.MAX_VALUE, Long.MAX_VALUE - 1000, 1L << 50}) {
                assertThatThrownBy(() -> pair.b().openSharedZone(pair.nodes.otherEnd(), bytes, request))
                        .isInstanceOf(ConnectionException.class)
                        .hasMessageContaining("tensors have at most");
            }
            assertThat(pair.gpuOfB().exports()).isZero();
        }
    }

    @Test
    void whenAPeerNeverSaysThatItClosedZonesThenItGetsNoMoreThanItsBudget() throws Exception {
        TransferOptions.Builder options = TransferOptions.builder()
                .landingZoneSize(2 * MIB)
                .maxDedicatedBytes(100 * MIB)
                .maxDedicatedBytesPerPeer(5 * MIB);
        try (GpuPair pair = GpuPair.sharing(Side.STAGED, Side.STAGED, options)) {
            ThisProcess self = ThisProcess.current();
            SharedMemoryRequest silent = new SharedMemoryRequest(self.host(), self.id(), self.started(), null);
            for (int round = 1; round <= 2; round++) {
                long taken = round * 2L * MIB;
                pair.nodes.connect();
                pair.b().openSharedZone(pair.nodes.otherEnd(), 0, silent);
                pair.nodes.connect().fail(new ConnectionException(ConnectionException.Kind.LOST, TwoNodes.B, "test"));
                await().atMost(PATIENCE).until(() -> pair.b().sharedBytesWaiting() == taken);
            }
            pair.nodes.connect();
            assertThatThrownBy(() -> pair.b().openSharedZone(pair.nodes.otherEnd(), 0, silent))
                    .isInstanceOf(ConnectionException.class)
                    .hasMessageContaining("may still be open");
            SharedMemoryRequest honest = new SharedMemoryRequest(self.host(), self.id(), self.started(), List.of());
            ZoneGrant grant = pair.b().openSharedZone(pair.nodes.otherEnd(), 0, honest);
            assertThat(pair.b().sharedBytesWaiting()).isZero();
            pair.nodes.connect().fail(new ConnectionException(ConnectionException.Kind.LOST, TwoNodes.B, "test"));
            await().atMost(PATIENCE).until(() -> pair.b().sharedBytesWaiting() == grant.size());
            long memory = GpuPair.allocate(MIB);
            pushed(pair, memory, 10);
            arrived(pair).close();
            GpuPair.free(memory);
        }
    }

    @Test
    void whenZonesArePrintedThenHandlesAreNot() throws Exception {
        try (GpuPair pair = sharing()) {
            pair.nodes.connect();
            ThisProcess self = ThisProcess.current();
            assertThat(self).isNotNull();
            SharedMemoryRequest request = new SharedMemoryRequest(self.host(), self.id(), self.started(), null);
            ZoneGrant grant = pair.b().openSharedZone(pair.nodes.otherEnd(), 0, request);

            assertThat(grant.shared()).isNotNull();
            String handle = grant.shared().handle();
            assertThat(handle).hasSizeGreaterThan(60);
            assertThat(grant + " " + grant.shared() + " " + pair.b().cudaIpc()
                            + pair.a().cudaIpc())
                    .doesNotContain(handle)
                    .doesNotContain(handle.substring(0, 12))
                    .doesNotContain(Long.toString(grant.shared().token()));
            // It was not opened: the peer says so with its next request.
            pair.nodes.connect().fail(new ConnectionException(ConnectionException.Kind.LOST, TwoNodes.B, "test"));
            await().atMost(PATIENCE).until(() -> pair.b().sharedBytesWaiting() > 0);
            long memory = GpuPair.allocate(MIB);
            assertThat(pushed(pair, memory, MIB).path()).isEqualTo(TransferPath.CUDA_IPC);
            arrived(pair).close();
            assertThat(pair.b().sharedBytesWaiting()).isZero();
            GpuPair.free(memory);
        }
    }

    @Test
    void whenACopyFailsThenThePushTakesAnotherPathAndSoDoAllLaterOnes() throws Exception {
        try (GpuPair pair = sharing()) {
            long memory = GpuPair.allocate(MIB);
            pushed(pair, memory, 10);
            arrived(pair).close();
            byte[] bytes = fill(memory, MIB);
            StubCuda.fail("cuMemcpyDtoDAsync", 700, 0, 1);

            assertThat(pushed(pair, memory, MIB).path()).isEqualTo(TransferPath.HOST_STAGED);

            assertArrived(pair, bytes);
            assertThat(status(pair).state()).isEqualTo(CudaIpcStatus.State.OFF);
            assertThat(status(pair).reason()).contains("a copy failed").contains("CUDA_ERROR_ILLEGAL_ADDRESS");
            assertThat(pushed(pair, memory, 100).path()).isEqualTo(TransferPath.HOST_STAGED);
            await().atMost(PATIENCE)
                    .until(() -> pair.gpuOfB().exports() == 0 && pair.gpuOfA().imports() == 0);
            GpuPair.free(memory);
        }
    }

    @Test
    void whenTheConnectionIsLostDuringACopyThenThePushStartsAnewAndNoMemoryIsFreedUnderTheCopy() throws Exception {
        try (GpuPair pair = sharing()) {
            long memory = GpuPair.allocate(MIB);
            pushed(pair, memory, 10);
            arrived(pair).close();
            byte[] bytes = fill(memory, MIB);
            StubCuda.set("delay-us", 4_000_000);
            long copies = StubCuda.calls("cuMemcpyDtoDAsync");
            CompletableFuture<TransferReceipt> push = push(pair, memory, MIB, PushOptions.defaults());
            await().atMost(PATIENCE).until(() -> StubCuda.calls("cuMemcpyDtoDAsync") > copies);

            pair.nodes.connect().fail(new ConnectionException(ConnectionException.Kind.LOST, TwoNodes.B, "test"));
            await().atMost(PATIENCE).until(() -> pair.b().sharedBytesWaiting() > 0);
            assertThat(pair.gpuOfA().imports()).isEqualTo(1);
            StubCuda.set("delay-us", 0);

            TransferReceipt receipt = push.get(60, TimeUnit.SECONDS);
            assertThat(receipt.path()).isEqualTo(TransferPath.CUDA_IPC);
            assertThat(receipt.attempts()).isEqualTo(2);
            assertArrived(pair, bytes);
            // Asking for the new zone told that the old one is closed.
            await().atMost(PATIENCE).until(() -> pair.b().sharedBytesWaiting() == 0);
            assertThat(pair.gpuOfB().exports()).isEqualTo(1);
            GpuPair.free(memory);
        }
    }

    @Test
    void whenTheConnectionIsLostThenWhatAListenerHoldsStaysUntilItIsClosed() throws Exception {
        try (GpuPair pair = sharing()) {
            long memory = GpuPair.allocate(MIB);
            byte[] bytes = fill(memory, MIB);
            pushed(pair, memory, MIB);
            try (ReceivedTensor held = arrived(pair)) {
                pair.nodes.connect().fail(new ConnectionException(ConnectionException.Kind.LOST, TwoNodes.B, "test"));
                await().atMost(PATIENCE).until(() -> pair.gpuOfA().imports() == 0);
                byte[] others = fill(memory, MIB);
                pushed(pair, memory, MIB);
                assertArrived(pair, others);
                assertBytes(held, bytes);
                assertThat(pair.gpuOfB().exports()).isEqualTo(2);
            }
            // The peer has told that it closed it, before the tensor was closed.
            pushed(pair, memory, 10);
            arrived(pair).close();
            GpuPair.free(memory);
            pair.nodes.connect().fail(new ConnectionException(ConnectionException.Kind.LOST, TwoNodes.B, "test"));
            await().atMost(PATIENCE).until(() -> pair.gpuOfA().imports() == 0);
            long again = GpuPair.allocate(10);
            pushed(pair, again, 10);
            arrived(pair).close();
            await().atMost(PATIENCE).until(() -> pair.gpuOfB().exports() == 1);
            GpuPair.free(again);
        }
    }
}
