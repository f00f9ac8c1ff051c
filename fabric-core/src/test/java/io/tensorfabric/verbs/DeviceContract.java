package io.tensorfabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a device, its ports and its asynchronous events tell. */
abstract class DeviceContract extends ContractGroup {

    DeviceContract(VerbsContractTest subject) {
        super(subject);
    }

    @Test
    void whenDeviceIsQueriedThenItsLimitsAllowWork() {
        DeviceAttributes device = left.context().queryDevice();
        assertThat(device.portCount()).isPositive();
        assertThat(device.maxQueuePairs()).isPositive();
        assertThat(device.maxQueuePairWorkRequests()).isGreaterThanOrEqualTo(128);
        assertThat(device.maxScatterGatherElements()).isGreaterThanOrEqualTo(SendRequests.MAX_ELEMENTS);
        assertThat(device.maxCompletionQueues()).isPositive();
        assertThat(device.maxCompletionQueueEntries()).isGreaterThanOrEqualTo(512);
        assertThat(device.maxMemoryRegions()).isPositive();
        assertThat(device.maxMemoryRegionSize()).isGreaterThan(Integer.MAX_VALUE);
        assertThat(device.maxProtectionDomains()).isPositive();
        assertThat(device.maxSharedReceiveQueues()).isPositive();
        assertThat(device.maxReadsAsInitiator()).isPositive();
        assertThat(device.maxReadsAsTarget()).isPositive();
        assertThat(device.maxInlineData()).isNotNegative();
    }

    @Test
    void whenPortIsQueriedThenItIsActiveWithAnMtuUpToItsMaximum() {
        PortAttributes port = left.context().queryPort(left.port());
        assertThat(port.state()).isEqualTo(PortState.ACTIVE);
        assertThat(port.activeMtu().bytes()).isLessThanOrEqualTo(port.maxMtu().bytes());
        assertThat(port.gidTableLength()).isPositive();
        assertThat(port.maxMessageSize()).isGreaterThanOrEqualTo(1 << 23);
        assertThat(port.activeSpeed()).isNotNegative();
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 200})
    void whenPortDoesNotExistThenEinval(int port) {
        assertFails(Errno.EINVAL, () -> left.context().queryPort(port));
        assertFails(Errno.EINVAL, () -> left.context().queryGidTable(port));
    }

    @Test
    void whenGidTableIsQueriedThenUsedEntriesComeInIndexOrder() {
        List<GidEntry> table = left.context().queryGidTable(left.port());
        assertThat(table).isNotEmpty();
        assertThat(table).noneMatch(entry -> entry.gid().isZero());
        assertThat(table).extracting(GidEntry::index).isSorted().doesNotHaveDuplicates();
        assertThat(table)
                .allMatch(entry -> entry.index() >= 0
                        && entry.index() < left.portAttributes().gidTableLength());
    }

    @Test
    void whenContextIsOpenThenItHasItsDevicesName() {
        assertThat(left.context().deviceName()).isNotBlank();
        assertThat(left.context().isClosed()).isFalse();
    }

    @Test
    void whenContextHasOpenObjectsThenClosingFailsWithEbusyAndTheyStillWork() {
        VerbsContext context = left.closing(subject.openLeft());
        ProtectionDomain domain = context.allocateProtectionDomain();
        VerbsException failure = assertFails(Errno.EBUSY, context::close);
        assertThat(failure).hasMessageContaining("protection domain");
        assertThat(context.isClosed()).isFalse();
        assertThat(domain.isClosed()).isFalse();
        domain.close();
        context.close();
        assertThat(context.isClosed()).isTrue();
    }

    @Test
    void whenOneOfTwoContextsIsClosedThenTheOtherStillWorks() {
        VerbsContext other = subject.openLeft();
        other.close();
        assertThat(left.context().isClosed()).isFalse();
        assertThat(left.context().queryPort(left.port()).state()).isEqualTo(PortState.ACTIVE);
    }

    @Test
    void whenContextWasClosedThenUseThrowsIllegalState() {
        VerbsContext context = subject.openLeft();
        context.close();
        context.close();
        assertThat(context.isClosed()).isTrue();
        assertThatIllegalStateException().isThrownBy(context::queryDevice);
        assertThatIllegalStateException().isThrownBy(() -> context.queryPort(1));
        assertThatIllegalStateException().isThrownBy(() -> context.queryGidTable(1));
        assertThatIllegalStateException().isThrownBy(context::allocateProtectionDomain);
        assertThatIllegalStateException().isThrownBy(context::createCompletionChannel);
        assertThatIllegalStateException().isThrownBy(() -> context.createCompletionQueue(1, null));
    }

    @Test
    void whenNothingHappensThenAwaitingAnAsyncEventEndsAfterItsTime() {
        long start = System.nanoTime();
        AsyncEvent event = nextEvent(left, AsyncEventType.QP_FATAL, subject.quiet());
        assertThat(event).isNull();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(subject.quiet(), subject.patience());
    }

    @Test
    void whenContextIsClosedThenAWaitForAsyncEventsEnds() throws Exception {
        VerbsContext context = left.closing(subject.openLeft());
        CompletableFuture<Void> waiter = CompletableFuture.runAsync(() -> {
            while (!context.isClosed()) {
                try {
                    context.awaitAsyncEvent(subject.patience().multipliedBy(3));
                } catch (IllegalStateException expected) {
                    Thread.onSpinWait();
                }
            }
        });
        context.close();
        waiter.get(subject.patience().toMillis(), TimeUnit.MILLISECONDS);
    }
}
