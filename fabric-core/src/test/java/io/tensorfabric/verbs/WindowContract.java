package io.tensorfabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.Set;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Type-2 memory windows. The right node owns the memory and the window; the left one writes through it. */
abstract class WindowContract extends ContractGroup {

    private static final int WRITE = AccessFlag.REMOTE_WRITE.bit();
    private static final int READ = AccessFlag.REMOTE_READ.bit();

    private Link link;
    private Buffer memory;
    private MemoryWindow window;
    private Buffer source;

    WindowContract(VerbsContractTest subject) {
        super(subject);
    }

    @BeforeEach
    void openWindow() {
        Assumptions.assumeTrue(right.context().queryDevice().memoryWindowType2(), "the device has no type-2 windows");
        link = link();
        source = left.buffer(4096).fill(1);
        memory = right.buffer(4096, AccessFlag.LOCAL_WRITE, AccessFlag.MEMORY_WINDOW_BIND);
        window = right.closing(right.domain().allocateMemoryWindow());
    }

    private void postBind(Endpoint endpoint, long id, MemoryRegion region, long address, long length, int access) {
        int key = window.nextRkey();
        int taken = endpoint.post(list -> list.add(id, Opcode.BIND_MW)
                .flags(SendFlag.SIGNALED)
                .bindWindow(window, region, address, length, key, access));
        assertThat(taken).isEqualTo(1);
    }

    /** Binds bytes 1024 to 3071 of the memory. */
    private Slice bind(int access) {
        int key = window.nextRkey();
        postBind(link.b(), 50, memory.region(), memory.address() + 1024, 2048, access);
        assertThat(link.b().awaitSent(50).isOf(WorkCompletionOpcode.BIND_MW)).isTrue();
        assertThat(window.rkey()).isEqualTo(key);
        return memory.slice(1024, 2048).withRkey(key);
    }

    private void invalidate(int key) {
        link.b()
                .post(list ->
                        list.add(60, Opcode.LOCAL_INV).flags(SendFlag.SIGNALED).remote(0, key));
        assertThat(link.b().awaitSent(60).isOf(WorkCompletionOpcode.LOCAL_INV)).isTrue();
    }

    private void assertRefused(Endpoint from, Slice target) {
        byte[] before = memory.bytes();
        from.write(70, source.slice(0, target.length()), target);
        from.awaitFailure(70, WorkCompletionStatus.REM_ACCESS_ERR);
        from.awaitState(QueuePairState.ERR);
        assertThat(memory.bytes()).isEqualTo(before);
    }

    @Test
    void whenBoundThenThePeerWritesAndReadsThroughItsKey() {
        Slice target = bind(WRITE | READ);
        link.a().write(1, source.slice(0, 2048), target);
        link.a().awaitSent(1);
        assertThat(memory.bytes(1024, 2048)).isEqualTo(source.bytes(0, 2048));
        Buffer copy = left.buffer(100);
        link.a().read(2, copy.all(), target.withLength(100).shifted(7));
        link.a().awaitSent(2);
        assertThat(copy.bytes()).isEqualTo(source.bytes(7, 100));
    }

    @Test
    void whenNotYetBoundThenItsKeyIsRefused() {
        assertRefused(link.a(), memory.slice(1024, 100).withRkey(window.rkey()));
    }

    @Test
    void whenInvalidatedThenItsKeyIsRefused() {
        Slice target = bind(WRITE);
        invalidate(target.rkey());
        assertRefused(link.a(), target);
        link.b().awaitState(QueuePairState.ERR);
    }

    @Test
    void whenInvalidatedThenItCanBeBoundAgainWithANewKeyAndTheOldOneIsRefused() {
        Slice first = bind(WRITE);
        invalidate(first.rkey());
        Slice second = bind(WRITE);
        assertThat(second.rkey()).isNotEqualTo(first.rkey());
        assertThat(second.rkey() >>> 8).isEqualTo(first.rkey() >>> 8);
        link.a().write(1, source.slice(0, 2048), second);
        link.a().awaitSent(1);
        assertRefused(link.a(), first);
    }

    @Test
    void whenTheWindowIsClosedThenItsKeyIsRefused() {
        Slice target = bind(WRITE);
        window.close();
        assertRefused(link.a(), target);
    }

    @Test
    void whenUsedThroughAnotherQueuePairThenItsKeyIsRefused() {
        Link other = link();
        Slice target = bind(WRITE);
        assertRefused(other.a(), target);
        link.a().write(1, source.slice(0, 2048), target);
        link.a().awaitSent(1);
    }

    @Test
    void whenTheWindowHasFewerRightsThanTheRegionThenTheMissingOnesAreRefused() {
        Slice target = bind(READ);
        Buffer copy = left.buffer(64);
        link.a().read(1, copy.all(), target.withLength(64));
        link.a().awaitSent(1);
        assertRefused(link.a(), target);
    }

    @Test
    void whenTheAccessLeavesTheWindowsRangeThenItIsRefused() {
        Assumptions.assumeTrue(subject.enforcesWindowRange(), "the device does not check the range of windows");
        Slice target = bind(WRITE);
        link.a().write(1, source.slice(0, 1), target.withLength(1).shifted(2047));
        link.a().awaitSent(1);
        assertRefused(link.a(), target.withLength(2).shifted(2047));
    }

    @Test
    void whenTheAccessStartsBeforeTheWindowThenItIsRefused() {
        Assumptions.assumeTrue(subject.enforcesWindowRange(), "the device does not check the range of windows");
        assertRefused(link.a(), bind(WRITE).withLength(100).shifted(-1));
    }

    @Test
    void whenTheAccessLeavesTheRegionBelowThenItIsRefused() {
        assertRefused(link.a(), bind(WRITE).withLength(2048).shifted(2000));
    }

    @Test
    void whenTheRegionMayNotBeBoundThenTheBindFails() {
        Buffer plain = right.buffer(4096);
        postBind(link.b(), 1, plain.region(), plain.address(), 4096, WRITE);
        link.b().awaitFailure(1, WorkCompletionStatus.MW_BIND_ERR);
        link.b().awaitState(QueuePairState.ERR);
    }

    @Test
    void whenTheRangeLeavesTheRegionThenTheBindFails() {
        postBind(link.b(), 1, memory.region(), memory.address() + 1, 4096, WRITE);
        link.b().awaitFailure(1, WorkCompletionStatus.MW_BIND_ERR);
        link.b().awaitState(QueuePairState.ERR);
    }

    @Test
    void whenAlreadyBoundThenASecondBindFails() {
        bind(WRITE);
        postBind(link.b(), 2, memory.region(), memory.address(), 64, WRITE);
        link.b().awaitFailure(2, WorkCompletionStatus.MW_BIND_ERR);
    }

    @Test
    void whenAnUnknownKeyIsInvalidatedThenTheRequestFails() {
        assertNotInvalidated(bind(WRITE).rkey() ^ 0x55);
    }

    @Test
    void whenAWindowThatWasNeverBoundIsInvalidatedThenTheRequestFails() {
        assertNotInvalidated(window.rkey());
    }

    @Test
    void whenAWindowIsInvalidatedTwiceThenTheSecondRequestFails() {
        Slice target = bind(WRITE);
        invalidate(target.rkey());
        assertNotInvalidated(target.rkey());
    }

    /** Refused at once, or by a completion. */
    private void assertNotInvalidated(int key) {
        try {
            link.b()
                    .post(list -> list.add(1, Opcode.LOCAL_INV)
                            .flags(SendFlag.SIGNALED)
                            .remote(0, key));
        } catch (VerbsException ex) {
            assertThat(ex.errno()).isEqualTo(Errno.EINVAL);
            assertThat(ex.accepted()).isZero();
            return;
        }
        Completion completion = link.b().awaitSend();
        assertThat(completion.id()).isEqualTo(1);
        assertThat(completion.status()).isIn(WorkCompletionStatus.LOC_QP_OP_ERR, WorkCompletionStatus.MW_BIND_ERR);
        link.b().awaitState(QueuePairState.ERR);
    }

    @Test
    void whenASendInvalidatesThenTheReceiverIsToldAndTheKeyIsRefused() {
        Slice target = bind(WRITE);
        link.a().write(1, source.slice(0, 2048), target);
        link.a().awaitSent(1);
        Buffer message = right.buffer(64);
        link.b().receive(5, message.all());
        link.a()
                .post(list -> list.add(2, Opcode.SEND_WITH_INV)
                        .flags(SendFlag.SIGNALED)
                        .immediate(target.rkey())
                        .local(source.address(), 64, source.region().lkey()));
        link.a().awaitSent(2);
        Completion received = link.b().awaitReceived(5);
        assertThat(received.isOf(WorkCompletionOpcode.RECV)).isTrue();
        assertThat(received.length()).isEqualTo(64);
        assertThat(message.bytes()).isEqualTo(source.bytes(0, 64));
        if (subject.flagsInvalidation()) {
            assertThat(received.hasInvalidation()).isTrue();
            assertThat(received.hasImmediate()).isFalse();
            assertThat(received.immediate()).isEqualTo(target.rkey());
        }
        assertRefused(link.a(), target);
    }

    @Test
    void whenARegionHasABoundWindowThenClosingItIsRefusedUntilTheWindowIsClosed() {
        Slice target = bind(WRITE);
        VerbsException failure =
                catchThrowableOfType(VerbsException.class, () -> memory.region().close());
        assertThat(failure).isNotNull();
        assertThat(failure.errno()).isIn(Errno.EINVAL, Errno.EBUSY);
        assertThat(memory.region().isClosed()).isFalse();
        link.a().write(1, source.slice(0, 2048), target);
        link.a().awaitSent(1);
        window.close();
        memory.region().close();
        assertThat(memory.region().isClosed()).isTrue();
    }

    @Test
    void whenSeveralWindowsCoverOneRegionThenEachHasItsOwnKeyAndRange() {
        MemoryWindow firstWindow = window;
        Slice first = bind(WRITE);
        window = right.closing(right.domain().allocateMemoryWindow());
        Slice second = bind(READ | WRITE);
        assertThat(second.rkey()).isNotEqualTo(first.rkey());
        link.a().write(1, source.slice(0, 2048), first);
        link.a().awaitSent(1);
        firstWindow.close();
        link.a().write(2, source.slice(100, 2048), second);
        link.a().awaitSent(2);
        assertThat(memory.bytes(1024, 2048)).isEqualTo(source.bytes(100, 2048));
        assertRefused(link.a(), first);
    }

    @Test
    void whenTheRegionHasNoRemoteRightsThenTheWindowStillGivesThem() {
        assertThat(memory.region().access()).isEqualTo(Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.MEMORY_WINDOW_BIND));
        Slice target = bind(WRITE);
        link.a().write(1, source.slice(0, 2048), target);
        link.a().awaitSent(1);
        assertThat(memory.contains(0, 1024, 0)).isTrue();
        assertThat(memory.contains(3072, 1024, 0)).isTrue();
        assertThat(memory.bytes(1024, 2048)).isEqualTo(source.bytes(0, 2048));
    }
}
