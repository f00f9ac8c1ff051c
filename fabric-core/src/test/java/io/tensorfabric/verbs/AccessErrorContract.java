package io.tensorfabric.verbs;

import static io.tensorfabric.verbs.AccessFlag.LOCAL_WRITE;
import static io.tensorfabric.verbs.AccessFlag.REMOTE_READ;
import static io.tensorfabric.verbs.AccessFlag.REMOTE_WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What happens when a key, a range or a right is wrong: the status at each end, their states, and untouched memory. */
abstract class AccessErrorContract extends ContractGroup {

    private static final int PAGE = 4096;

    AccessErrorContract(VerbsContractTest subject) {
        super(subject);
    }

    /** A region in the middle of memory of three pages that no key opens. */
    private record Guarded(Buffer memory, MemoryRegion region) {

        Slice at(long offset, int length) {
            return new Slice(region.address() + offset, length, region.lkey(), region.rkey());
        }
    }

    private Guarded guarded(Node node, AccessFlag... access) {
        Buffer memory = node.buffer(3 * PAGE, LOCAL_WRITE).fill(42);
        MemoryRegion region = node.closing(node.domain().registerMemory(memory.address() + PAGE, PAGE, Set.of(access)));
        return new Guarded(memory, region);
    }

    private Guarded guarded() {
        return guarded(right, LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ);
    }

    private Buffer source(int length) {
        return left.buffer(Math.max(length, 64)).fill(7);
    }

    private void assertWriteRefused(Link link, Buffer watched, Slice target) {
        byte[] before = watched.bytes();
        link.b().receive(800, watched.slice(0, 0));
        link.a().write(1, source(target.length()).slice(0, target.length()), target);
        assertRefusedAtThePeer(link);
        assertThat(watched.bytes()).as("memory of the peer").isEqualTo(before);
    }

    private void assertReadRefused(Link link, Slice from) {
        Buffer local = left.buffer(Math.max(from.length(), 64)).fillWith(3);
        link.b().receive(800);
        link.a().read(1, local.slice(0, from.length()), from);
        assertRefusedAtThePeer(link);
        assertThat(local.contains(0, local.length(), 3))
                .as("memory of the reader")
                .isTrue();
    }

    /** REM_ACCESS_ERR, both ends in ERR, the peer's receive and later requests flushed. */
    private void assertRefusedAtThePeer(Link link) {
        link.a().awaitFailure(1, WorkCompletionStatus.REM_ACCESS_ERR);
        link.a().awaitState(QueuePairState.ERR);
        link.b().awaitState(QueuePairState.ERR);
        Completion receive = link.b().awaitReceive();
        assertThat(receive.id()).isEqualTo(800);
        assertThat(receive.status()).isEqualTo(WorkCompletionStatus.WR_FLUSH_ERR);
        link.a().send(2, source(64).all());
        link.a().awaitFailure(2, WorkCompletionStatus.WR_FLUSH_ERR);
    }

    @Test
    void whenTheRemoteKeyIsWrongThenWritesAndReadsAreRefused() {
        Guarded target = guarded();
        assertWriteRefused(link(), target.memory(), target.at(0, 64).withRkey(0x7fffff00));
        assertReadRefused(link(), target.at(0, 64).withRkey(0x7fffff00));
    }

    @Test
    void whenOnlyTheLowByteOfTheKeyIsWrongThenItIsRefused() {
        Guarded target = guarded();
        assertWriteRefused(
                link(),
                target.memory(),
                target.at(0, 64).withRkey(target.region().rkey() ^ 1));
    }

    @Test
    void whenTheLocalKeyIsUsedRemotelyThenItIsRefused() {
        Assumptions.assumeTrue(subject.localAndRemoteKeysDiffer(), "the device uses one number for both keys");
        Guarded target = guarded();
        assertWriteRefused(
                link(),
                target.memory(),
                target.at(0, 64).withRkey(target.region().lkey()));
    }

    @ParameterizedTest
    @CsvSource({"0,4096", "4095,1", "4096,0", "0,1", "0,0", "100,3996"})
    void whenTheRangeLiesInsideTheRegionThenWritesAreAllowed(long offset, int length) {
        Link link = link();
        Guarded target = guarded();
        Buffer source = source(length);
        link.a().write(1, source.slice(0, length), target.at(offset, length));
        link.a().awaitSent(1);
        assertThat(target.memory().bytes(PAGE + (int) offset, length)).isEqualTo(source.bytes(0, length));
    }

    @ParameterizedTest
    @CsvSource({"4096,1", "4095,2", "-1,1", "-1,2", "0,4097", "-4096,8192", "4294967296,1", "-9223372036854775808,8"})
    void whenTheRangeLeavesTheRegionThenWritesAndReadsAreRefused(long offset, int length) {
        Guarded target = guarded();
        assertWriteRefused(link(), target.memory(), target.at(offset, length));
        assertReadRefused(link(), target.at(offset, length));
    }

    @Test
    void whenAddressAndLengthWrapThenTheyAreRefused() {
        Guarded target = guarded();
        Slice wrapping = new Slice(-80L, 96, 0, target.region().rkey());
        assertWriteRefused(link(), target.memory(), wrapping);
        assertReadRefused(link(), wrapping);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, Integer.MIN_VALUE})
    void whenTheLengthIsAnUnsignedNumberOfGigabytesThenItIsRefused(int length) {
        Link link = link();
        Guarded target = guarded();
        byte[] before = target.memory().bytes();
        Buffer source = source(PAGE);
        link.a().write(1, source.slice(0, length), target.at(0, length));
        Completion completion = link.a().awaitSend();
        assertThat(completion.id()).isEqualTo(1);
        assertThat(completion.status())
                .isIn(
                        WorkCompletionStatus.LOC_LEN_ERR,
                        WorkCompletionStatus.LOC_PROT_ERR,
                        WorkCompletionStatus.LOC_QP_OP_ERR,
                        WorkCompletionStatus.REM_ACCESS_ERR,
                        WorkCompletionStatus.REM_INV_REQ_ERR);
        assertThat(target.memory().bytes()).isEqualTo(before);
    }

    @Test
    void whenTheRegionLacksRemoteWriteThenWritesAreRefused() {
        Guarded target = guarded(right, LOCAL_WRITE, REMOTE_READ);
        assertWriteRefused(link(), target.memory(), target.at(0, 64));
    }

    @Test
    void whenTheRegionLacksRemoteReadThenReadsAreRefused() {
        Guarded target = guarded(right, LOCAL_WRITE, REMOTE_WRITE);
        assertReadRefused(link(), target.at(0, 64));
    }

    @Test
    void whenTheRegionIsOfAnotherProtectionDomainThenItIsRefused() {
        Buffer target = right.buffer(right.anotherDomain(), PAGE, LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ);
        assertWriteRefused(link(), target, target.slice(0, 64));
        assertReadRefused(link(), target.slice(0, 64));
    }

    @Test
    void whenTheRegionWasDeregisteredThenItIsRefused() {
        Link working = link();
        Guarded target = guarded();
        working.a().write(1, source(64).all(), target.at(0, 64));
        working.a().awaitSent(1);
        Slice stale = target.at(0, 64);
        target.region().close();
        assertWriteRefused(working, target.memory(), stale);
        assertReadRefused(link(), stale);
    }

    @Test
    void whenAWriteWithImmediateIsRefusedThenItsReceiveFailsOnce() {
        Link link = link();
        Guarded target = guarded();
        byte[] before = target.memory().bytes();
        link.b().receives(10, 2, target.at(0, 0));
        link.a().writeWithImmediate(1, source(64).all(), target.at(0, 64).withRkey(1), 5);
        link.a().awaitFailure(1, WorkCompletionStatus.REM_ACCESS_ERR);
        List<Completion> receives = link.b().awaitReceives(2);
        assertThat(receives).extracting(Completion::id).containsExactly(10L, 11L);
        assertThat(receives.get(0).status())
                .isIn(WorkCompletionStatus.REM_ACCESS_ERR, WorkCompletionStatus.WR_FLUSH_ERR);
        assertThat(receives.get(1).status()).isEqualTo(WorkCompletionStatus.WR_FLUSH_ERR);
        link.b().assertQuiet();
        assertThat(target.memory().bytes()).isEqualTo(before);
        link.b().awaitState(QueuePairState.ERR);
    }

    @Test
    void whenThePeersQueuePairAllowsNoWritesThenTheyAreRefused() {
        Link link = link(new Connection().access(REMOTE_READ));
        Buffer target = right.buffer(64).fill(1);
        Buffer copy = left.buffer(64);
        link.a().read(1, copy.all(), target.all());
        link.a().awaitSent(1);
        byte[] before = target.bytes();
        link.a().write(2, copy.fillWith(9).all(), target.all());
        link.a().awaitFailure(2, WorkCompletionStatus.REM_INV_REQ_ERR, WorkCompletionStatus.REM_ACCESS_ERR);
        link.a().awaitState(QueuePairState.ERR);
        link.b().awaitState(QueuePairState.ERR);
        assertThat(target.bytes()).isEqualTo(before);
    }

    @Test
    void whenThePeersQueuePairAllowsNoReadsThenTheyAreRefused() {
        Link link = link(new Connection().access(REMOTE_WRITE));
        Buffer copy = left.buffer(64);
        link.a().read(1, copy.all(), right.buffer(64).fill(1).all());
        link.a().awaitFailure(1, WorkCompletionStatus.REM_INV_REQ_ERR, WorkCompletionStatus.REM_ACCESS_ERR);
        assertThat(copy.contains(0, 64, 0)).isTrue();
        link.b().awaitState(QueuePairState.ERR);
    }

    /** A local protection error, this end in ERR, the peer still in RTS and untouched. */
    private void assertRefusedLocally(Slice from) {
        Link link = link();
        Buffer target = right.buffer(3 * PAGE);
        link.a().write(1, from, target.slice(0, from.length()));
        link.a().awaitFailure(1, subject.localProtectionStatuses().toArray(WorkCompletionStatus[]::new));
        link.a().awaitState(QueuePairState.ERR);
        assertThat(link.b().state()).isEqualTo(QueuePairState.RTS);
        assertThat(target.contains(0, target.length(), 0)).isTrue();
    }

    @Test
    void whenTheLocalKeyIsWrongThenTheRequestFailsLocally() {
        assertRefusedLocally(source(64).all().withLkey(0x7fffff00));
    }

    @Test
    void whenTheLocalRangeLeavesItsRegionThenTheRequestFailsLocally() {
        Guarded from = guarded(left, LOCAL_WRITE);
        assertRefusedLocally(from.at(4095, 2));
        assertRefusedLocally(from.at(-1, 2));
    }

    @Test
    void whenTheLocalRegionIsOfAnotherProtectionDomainThenTheRequestFailsLocally() {
        assertRefusedLocally(
                left.buffer(left.anotherDomain(), PAGE, LOCAL_WRITE).slice(0, 64));
    }

    @Test
    void whenTheLocalRegionWasDeregisteredThenTheRequestFailsLocally() {
        Buffer from = source(64);
        Slice stale = from.all();
        from.region().close();
        assertRefusedLocally(stale);
    }

    @Test
    void whenALaterElementIsWrongThenTheRequestFailsLocally() {
        Link link = link();
        Buffer source = source(64);
        Buffer target = right.buffer(PAGE);
        link.a()
                .post(list -> list.add(1, Opcode.RDMA_WRITE)
                        .flags(SendFlag.SIGNALED)
                        .remote(target.address(), target.region().rkey())
                        .local(source.address(), 16, source.region().lkey())
                        .local(source.address() + 16, 16, 0x7fffff00));
        link.a().awaitFailure(1, subject.localProtectionStatuses().toArray(WorkCompletionStatus[]::new));
        link.a().awaitState(QueuePairState.ERR);
        assertThat(target.contains(0, PAGE, 0)).isTrue();
    }
}
