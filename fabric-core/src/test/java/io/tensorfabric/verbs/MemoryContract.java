package io.tensorfabric.verbs;

import static io.tensorfabric.verbs.AccessFlag.LOCAL_WRITE;
import static io.tensorfabric.verbs.AccessFlag.MEMORY_WINDOW_BIND;
import static io.tensorfabric.verbs.AccessFlag.RELAXED_ORDERING;
import static io.tensorfabric.verbs.AccessFlag.REMOTE_ATOMIC;
import static io.tensorfabric.verbs.AccessFlag.REMOTE_READ;
import static io.tensorfabric.verbs.AccessFlag.REMOTE_WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.offheap.OffHeap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Rules of registration. */
abstract class MemoryContract extends ContractGroup {

    MemoryContract(VerbsContractTest subject) {
        super(subject);
    }

    static Stream<Set<AccessFlag>> soundRights() {
        return Stream.of(
                Set.of(),
                Set.of(LOCAL_WRITE),
                Set.of(REMOTE_READ),
                Set.of(LOCAL_WRITE, REMOTE_WRITE),
                Set.of(LOCAL_WRITE, REMOTE_READ),
                Set.of(LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC),
                Set.of(LOCAL_WRITE, MEMORY_WINDOW_BIND),
                Set.of(LOCAL_WRITE, REMOTE_WRITE, RELAXED_ORDERING));
    }

    static Stream<Set<AccessFlag>> unsoundRights() {
        return Stream.of(
                Set.of(REMOTE_WRITE),
                Set.of(REMOTE_ATOMIC),
                Set.of(REMOTE_WRITE, REMOTE_READ),
                Set.of(REMOTE_READ, REMOTE_ATOMIC));
    }

    @ParameterizedTest
    @MethodSource("soundRights")
    void whenRightsAreSoundThenTheRegionHasThemAndItsRange(Set<AccessFlag> rights) {
        Buffer buffer = left.buffer(4096, rights.toArray(AccessFlag[]::new));
        MemoryRegion region = buffer.region();
        assertThat(region.access()).isEqualTo(rights);
        assertThat(region.address()).isEqualTo(buffer.address());
        assertThat(region.length()).isEqualTo(4096);
        assertThat(region.isClosed()).isFalse();
    }

    @ParameterizedTest
    @MethodSource("unsoundRights")
    void whenRemoteWriteComesWithoutLocalWriteThenEinval(Set<AccessFlag> rights) {
        Buffer memory = left.buffer(4096);
        VerbsException failure =
                assertFails(Errno.EINVAL, () -> left.domain().registerMemory(memory.address(), 4096, rights));
        assertThat(failure.call()).isEqualTo("ibv_reg_mr");
    }

    @Test
    void whenLengthIsNotPositiveOrTheRangeWrapsThenEinval() {
        Buffer memory = left.buffer(4096);
        for (long length : new long[] {0, -1, Long.MIN_VALUE, -memory.address()}) {
            VerbsException failure = assertFails(
                    Errno.EINVAL, () -> left.domain().registerMemory(memory.address(), length, Set.of(LOCAL_WRITE)));
            assertThat(failure.call()).isEqualTo("ibv_reg_mr");
        }
    }

    @Test
    void whenRegistrationIsRefusedThenTheMessageShowsNoAddress() {
        Buffer memory = left.buffer(4096);
        VerbsException failure =
                assertFails(Errno.EINVAL, () -> left.domain().registerMemory(memory.address(), 0, Set.of(LOCAL_WRITE)));
        assertThat(failure.getMessage())
                .doesNotContain(Long.toString(memory.address()))
                .doesNotContain(Long.toHexString(memory.address()));
    }

    @Test
    void whenDmaBufIsNotSupportedThenEopnotsupp() {
        Assumptions.assumeFalse(subject.supportsDmaBuf(), "the device takes dma-bufs");
        Buffer memory = left.buffer(4096);
        VerbsException failure = assertFails(
                Errno.EOPNOTSUPP,
                () -> left.domain().registerDmaBuf(-1, 0, 4096, memory.address(), Set.of(LOCAL_WRITE)));
        assertThat(failure.call()).isEqualTo("ibv_reg_dmabuf_mr");
    }

    @Test
    void whenRegionIsUnalignedAndOneByteLongThenItWorks() {
        Link link = link();
        Buffer source = left.buffer(4096).fillWith(0x5a);
        Buffer target = right.buffer(4096);
        MemoryRegion one = right.closing(
                right.domain().registerMemory(target.address() + 4095, 1, Set.of(LOCAL_WRITE, REMOTE_WRITE)));
        link.a().write(1, source.slice(7, 1), new Slice(one.address(), 1, one.lkey(), one.rkey()));
        link.a().awaitSent(1);
        assertThat(target.contains(4095, 1, 0x5a)).isTrue();
        assertThat(target.contains(0, 4095, 0)).isTrue();
    }

    @Test
    void whenManyRegionsExistThenAllKeysAreDifferent() {
        Set<Integer> keys = new HashSet<>();
        for (int i = 0; i < 64; i++) {
            keys.add(left.buffer(16).region().rkey());
        }
        assertThat(keys).hasSize(64);
    }

    @Test
    void whenRegionIsClosedThenItsKeyIsNotGivenToTheNext() {
        Buffer memory = left.buffer(4096);
        Set<Integer> keys = new HashSet<>();
        for (int i = 0; i < 32; i++) {
            MemoryRegion region =
                    left.domain().registerMemory(memory.address(), 4096, Set.of(LOCAL_WRITE, REMOTE_WRITE));
            keys.add(region.rkey());
            region.close();
        }
        assertThat(keys).hasSizeGreaterThan(1);
    }

    @Test
    void whenProviderTellsKeysApartThenLkeyIsNotRkey() {
        Assumptions.assumeTrue(subject.localAndRemoteKeysDiffer(), "the device uses one number for both keys");
        for (int i = 0; i < 16; i++) {
            MemoryRegion region = left.buffer(64).region();
            assertThat(region.lkey()).isNotEqualTo(region.rkey());
        }
    }

    @Test
    void whenRegionsOverlapThenEachKeepsItsOwnRights() {
        Link link = link();
        Buffer readable = right.buffer(4096, LOCAL_WRITE, REMOTE_READ).fill(3);
        MemoryRegion writable = right.closing(
                right.domain().registerMemory(readable.address(), 4096, Set.of(LOCAL_WRITE, REMOTE_WRITE)));
        Buffer source = left.buffer(4096).fill(4);
        link.a().write(1, source.all(), new Slice(writable.address(), 4096, 0, writable.rkey()));
        link.a().awaitSent(1);
        Buffer copy = left.buffer(4096);
        link.a().read(2, copy.all(), readable.all());
        link.a().awaitSent(2);
        assertThat(copy.bytes()).isEqualTo(source.bytes());
        link.a().write(3, source.all(), readable.all());
        link.a().awaitFailure(3, WorkCompletionStatus.REM_ACCESS_ERR);
    }

    @Test
    void whenRegionIsClosedThenTheMemoryIsUntouchedAndStillTheCallers() {
        Buffer buffer = left.buffer(4096).fill(9);
        byte[] before = buffer.bytes();
        buffer.region().close();
        assertThat(buffer.bytes()).isEqualTo(before);
        OffHeap.putByte(buffer.address(), (byte) 1);
        assertThat(buffer.contains(0, 1, 1)).isTrue();
    }

    @Test
    void whenObjectsArePrintedThenNoKeyOrSecretIsShown() {
        Link link = link();
        Buffer buffer = left.buffer(4096);
        MemoryWindow window = left.closing(left.domain().allocateMemoryWindow());
        List<Object> printed = List.of(
                buffer.region(),
                window,
                link.a().queuePair(),
                link.a().queuePair().query(),
                left.domain(),
                left.context());
        for (Object object : printed) {
            String text = object.toString().toLowerCase(Locale.ROOT);
            for (int key : new int[] {buffer.region().rkey(), buffer.region().lkey(), window.rkey()}) {
                Stream.of(Integer.toString(key), Integer.toUnsignedString(key), Integer.toHexString(key))
                        .filter(digits -> digits.length() > 4)
                        .forEach(digits -> assertThat(text).doesNotContain(digits));
            }
            for (String secret : secrets(link)) {
                assertThat(object.toString()).doesNotContain(secret);
            }
        }
    }

    private static List<String> secrets(Link link) {
        return Stream.of(link.a(), link.b())
                .map(endpoint -> endpoint.queuePair().providerAddress())
                .filter(address -> address != null && !address.isEmpty())
                .toList();
    }
}
