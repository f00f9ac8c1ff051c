package io.tensorfabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Holds the enums to the numbers of {@code infiniband/verbs.h} of rdma-core. */
class VerbsNumbersTest {

    private static <E extends Enum<E>> Map<String, Integer> numbers(Class<E> type, ToIntFunction<E> number) {
        Map<String, Integer> numbers = new TreeMap<>();
        Stream.of(type.getEnumConstants()).forEach(value -> numbers.put(value.name(), number.applyAsInt(value)));
        return numbers;
    }

    /** Reads {@code NAME=number} pairs. */
    private static Map<String, Integer> documented(String pairs) {
        Map<String, Integer> numbers = new TreeMap<>();
        for (String pair : pairs.trim().split("\\s+")) {
            int equals = pair.indexOf('=');
            numbers.put(pair.substring(0, equals), Integer.decode(pair.substring(equals + 1)));
        }
        return numbers;
    }

    @Test
    void whenStatusThenNumberedAsIbvWcStatus() {
        assertThat(numbers(WorkCompletionStatus.class, WorkCompletionStatus::code))
                .isEqualTo(documented("SUCCESS=0 LOC_LEN_ERR=1 LOC_QP_OP_ERR=2 LOC_EEC_OP_ERR=3 LOC_PROT_ERR=4"
                        + " WR_FLUSH_ERR=5 MW_BIND_ERR=6 BAD_RESP_ERR=7 LOC_ACCESS_ERR=8 REM_INV_REQ_ERR=9"
                        + " REM_ACCESS_ERR=10 REM_OP_ERR=11 RETRY_EXC_ERR=12 RNR_RETRY_EXC_ERR=13"
                        + " LOC_RDD_VIOL_ERR=14 REM_INV_RD_REQ_ERR=15 REM_ABORT_ERR=16 INV_EECN_ERR=17"
                        + " INV_EEC_STATE_ERR=18 FATAL_ERR=19 RESP_TIMEOUT_ERR=20 GENERAL_ERR=21"));
    }

    @ParameterizedTest
    @EnumSource(WorkCompletionStatus.class)
    void whenStatusThenFoundByNumberAndExplained(WorkCompletionStatus status) {
        assertThat(WorkCompletionStatus.ofCode(status.code())).isSameAs(status);
        assertThat(status.cause()).endsWith(".");
        assertThat(status.remedy()).endsWith(".");
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 22, 23, Integer.MIN_VALUE, Integer.MAX_VALUE})
    void whenStatusNumberIsUnknownThenGeneralError(int code) {
        assertThat(WorkCompletionStatus.ofCode(code)).isSameAs(WorkCompletionStatus.GENERAL_ERR);
    }

    @Test
    void whenCompletionOpcodeThenNumberedAsIbvWcOpcode() {
        assertThat(numbers(WorkCompletionOpcode.class, WorkCompletionOpcode::code))
                .isEqualTo(documented("SEND=0 RDMA_WRITE=1 RDMA_READ=2 BIND_MW=5 LOCAL_INV=6 RECV=0x80"
                        + " RECV_RDMA_WITH_IMM=0x81"));
        assertThat(WorkCompletions.FLAG_WITH_IMMEDIATE).isEqualTo(2);
        assertThat(WorkCompletions.FLAG_WITH_INVALIDATE).isEqualTo(8);
    }

    @Test
    void whenOpcodeThenNumberedAsIbvWrOpcode() {
        assertThat(numbers(Opcode.class, Opcode::code))
                .isEqualTo(documented("RDMA_WRITE=0 RDMA_WRITE_WITH_IMM=1 SEND=2 SEND_WITH_IMM=3 RDMA_READ=4"
                        + " LOCAL_INV=7 BIND_MW=8 SEND_WITH_INV=9"));
        for (Opcode opcode : Opcode.values()) {
            assertThat(Opcode.ofCode(opcode.code())).isSameAs(opcode);
        }
        assertThatIllegalArgumentException().isThrownBy(() -> Opcode.ofCode(5));
    }

    @Test
    void whenSendFlagThenBitOfIbvSendFlags() {
        assertThat(new int[] {SendFlag.FENCE, SendFlag.SIGNALED, SendFlag.SOLICITED, SendFlag.INLINE})
                .containsExactly(1, 2, 4, 8);
    }

    @Test
    void whenAccessFlagThenBitOfIbvAccessFlags() {
        assertThat(numbers(AccessFlag.class, AccessFlag::bit))
                .isEqualTo(documented("LOCAL_WRITE=1 REMOTE_WRITE=2 REMOTE_READ=4 REMOTE_ATOMIC=8"
                        + " MEMORY_WINDOW_BIND=16 RELAXED_ORDERING=0x100000"));
        assertThat(AccessFlag.mask(Set.of())).isZero();
        assertThat(AccessFlag.mask(Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ)))
                .isEqualTo(5);
        assertThat(AccessFlag.mask(EnumSet.allOf(AccessFlag.class))).isEqualTo(0x10001f);
    }

    @Test
    void whenStateThenNumberedAsIbvQpState() {
        assertThat(numbers(QueuePairState.class, QueuePairState::code))
                .isEqualTo(documented("RESET=0 INIT=1 RTR=2 RTS=3 SQD=4 SQE=5 ERR=6"));
    }

    @Test
    void whenQueuePairTypeThenNumberedAsIbvQpType() {
        assertThat(numbers(QueuePairType.class, QueuePairType::code)).isEqualTo(documented("RC=2 UD=4"));
    }

    @Test
    void whenAttributeThenBitOfIbvQpAttrMask() {
        assertThat(numbers(QueuePairAttribute.class, QueuePairAttribute::bit))
                .isEqualTo(documented("STATE=0x1 ACCESS_FLAGS=0x8 PKEY_INDEX=0x10 PORT=0x20 PATH=0x80 PATH_MTU=0x100"
                        + " TIMEOUT=0x200 RETRY_COUNT=0x400 RNR_RETRY=0x800 RECEIVE_PSN=0x1000"
                        + " MAX_READS_AS_INITIATOR=0x2000 MIN_RNR_TIMER=0x8000 SEND_PSN=0x10000"
                        + " MAX_READS_AS_TARGET=0x20000 DESTINATION_QPN=0x100000"));
    }

    @Test
    void whenAsyncEventThenNumberedAsIbvEventType() {
        assertThat(numbers(AsyncEventType.class, AsyncEventType::code))
                .isEqualTo(documented("CQ_ERR=0 QP_FATAL=1 QP_REQ_ERR=2 QP_ACCESS_ERR=3 COMM_EST=4 SQ_DRAINED=5"
                        + " PATH_MIG=6 PATH_MIG_ERR=7 DEVICE_FATAL=8 PORT_ACTIVE=9 PORT_ERR=10 LID_CHANGE=11"
                        + " PKEY_CHANGE=12 SM_CHANGE=13 SRQ_ERR=14 SRQ_LIMIT_REACHED=15 QP_LAST_WQE_REACHED=16"
                        + " CLIENT_REREGISTER=17 GID_CHANGE=18"));
    }

    @Test
    void whenPortStateThenNumberedAsIbvPortState() {
        assertThat(numbers(PortState.class, PortState::code))
                .isEqualTo(documented("NOP=0 DOWN=1 INIT=2 ARMED=3 ACTIVE=4 ACTIVE_DEFER=5"));
        assertThat(PortState.ofCode(4)).isSameAs(PortState.ACTIVE);
        assertThatIllegalArgumentException().isThrownBy(() -> PortState.ofCode(6));
    }

    @Test
    void whenMtuThenNumberedAsIbvMtuAndFoundByBytes() {
        assertThat(numbers(Mtu.class, Mtu::code))
                .isEqualTo(documented("MTU_256=1 MTU_512=2 MTU_1024=3 MTU_2048=4 MTU_4096=5"));
        for (Mtu mtu : Mtu.values()) {
            assertThat(mtu.name()).isEqualTo("MTU_" + mtu.bytes());
            assertThat(Mtu.ofBytes(mtu.bytes())).isSameAs(mtu);
            assertThat(Mtu.min(mtu, Mtu.MTU_1024).bytes()).isEqualTo(Math.min(mtu.bytes(), 1024));
            assertThat(Mtu.min(Mtu.MTU_1024, mtu)).isSameAs(Mtu.min(mtu, Mtu.MTU_1024));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -256, 1500, 4095, 8192})
    void whenMtuIsNoneOfTheFiveThenRefused(int bytes) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Mtu.ofBytes(bytes))
                .withMessageContaining(Integer.toString(bytes));
    }

    @Test
    void whenErrnoThenNumberedAsLinux() {
        assertThat(numbers(Errno.class, Errno::number))
                .containsAllEntriesOf(documented("EPERM=1 ENOENT=2 EINTR=4 EIO=5 EAGAIN=11 ENOMEM=12 EACCES=13"
                        + " EFAULT=14 EBUSY=16 ENODEV=19 EINVAL=22 ENOSPC=28 ENOSYS=38 ENODATA=61 EPROTO=71"
                        + " EOPNOTSUPP=95 EADDRNOTAVAIL=99 ENETUNREACH=101 ECONNRESET=104 ETIMEDOUT=110"
                        + " ECONNREFUSED=111 EHOSTUNREACH=113 UNKNOWN=-1"));
        for (Errno errno : Errno.values()) {
            assertThat(Errno.ofNumber(errno.number())).isSameAs(errno);
            assertThat(errno.meaning()).isNotBlank();
            assertThat(errno.remedy()).endsWith(".");
        }
        assertThat(Errno.ofNumber(4711)).isSameAs(Errno.UNKNOWN);
    }
}
