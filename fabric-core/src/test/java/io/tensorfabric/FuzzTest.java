package io.tensorfabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.connection.MessageHeaderFuzz;
import io.tensorfabric.offheap.OffHeap;
import io.tensorfabric.tensor.safetensors.SafetensorsFuzz;
import io.tensorfabric.testing.FuzzRegression;
import io.tensorfabric.transfer.TransferMessagesFuzz;
import io.tensorfabric.verbs.soft.SoftWireFuzz;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What was ever found, and a few seconds of changes of it. The long search is {@code ./dev fuzz}. */
@Timeout(60)
class FuzzTest {

    private static final Duration TIME = Duration.ofSeconds(2);

    @Test
    void whenSafetensorsContentIsAnythingThenReadersAgreeAndRefuseInOneWay() throws IOException {
        assertThat(FuzzRegression.run("safetensors", SafetensorsFuzz::fuzzerTestOneInput, TIME))
                .isGreaterThan(100);
    }

    @Test
    void whenMessageHeadersAreAnythingThenOnlyWholeOnesAreTaken() throws IOException {
        assertThat(FuzzRegression.run("message-headers", MessageHeaderFuzz::fuzzerTestOneInput, TIME))
                .isGreaterThan(100);
    }

    @Test
    void whenTransferMessagesAreAnythingThenOnlyWholeOnesAreTaken() throws IOException {
        assertThat(FuzzRegression.run("transfer-messages", TransferMessagesFuzz::fuzzerTestOneInput, TIME))
                .isGreaterThan(100);
    }

    @Test
    void whenAPeerOfTheSoftwareDeviceSendsAnythingThenOnlyOpenedMemoryChangesAndNoneIsLost() throws IOException {
        FuzzRegression.run("soft-wire", SoftWireFuzz::fuzzerTestOneInput, Duration.ZERO);
        long before = OffHeap.allocatedBytes();
        assertThat(FuzzRegression.run("soft-wire", SoftWireFuzz::fuzzerTestOneInput, TIME))
                .isGreaterThan(100);
        assertThat(OffHeap.allocatedBytes()).isEqualTo(before);
        assertThat(SoftWireFuzz.executed()).isGreaterThan(10);
    }
}
