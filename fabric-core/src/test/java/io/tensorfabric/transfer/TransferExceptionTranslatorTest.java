package io.tensorfabric.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Named.named;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.github.resilience4j.bulkhead.Bulkhead;
import io.github.resilience4j.bulkhead.BulkheadFullException;
import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.tensorfabric.connection.ConnectionException;
import io.tensorfabric.transfer.TransferException.Kind;
import io.tensorfabric.verbs.Errno;
import io.tensorfabric.verbs.VerbsException;
import io.tensorfabric.verbs.WorkCompletionStatus;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class TransferExceptionTranslatorTest {

    private static final Set<WorkCompletionStatus> OF_THE_PATH = Set.of(
            WorkCompletionStatus.WR_FLUSH_ERR,
            WorkCompletionStatus.RETRY_EXC_ERR,
            WorkCompletionStatus.RNR_RETRY_EXC_ERR,
            WorkCompletionStatus.REM_ABORT_ERR,
            WorkCompletionStatus.RESP_TIMEOUT_ERR);

    private static Arguments problem(
            Throwable problem, Class<? extends TransferException> type, Kind kind, boolean retryable) {
        return arguments(named(String.valueOf(problem), problem), type, kind, retryable);
    }

    private static ConnectionException connection(ConnectionException.Kind kind) {
        return new ConnectionException(kind, "ranker", "why " + kind);
    }

    private static VerbsException verbs(Errno errno) {
        return new VerbsException("ibv_reg_mr", errno, "for a test");
    }

    private static Arguments connecting(
            ConnectionException.Kind cause, Class<? extends TransferException> type, Kind kind, boolean retryable) {
        return problem(connection(cause), type, kind, retryable);
    }

    static Stream<Arguments> problems() {
        return Stream.of(
                connecting(ConnectionException.Kind.UNKNOWN_PEER, UnknownPeerException.class, Kind.UNKNOWN_PEER, false),
                connecting(ConnectionException.Kind.UNREACHABLE, PeerUnavailableException.class, Kind.PEER_LOST, true),
                connecting(ConnectionException.Kind.CONFLICT, PeerUnavailableException.class, Kind.PEER_LOST, true),
                connecting(ConnectionException.Kind.NOT_FOUND, PeerUnavailableException.class, Kind.PEER_LOST, true),
                connecting(ConnectionException.Kind.MALFORMED, PeerUnavailableException.class, Kind.PEER_LOST, false),
                connecting(ConnectionException.Kind.CLOSED, PeerUnavailableException.class, Kind.PEER_LOST, true),
                connecting(
                        ConnectionException.Kind.REFUSED, TransferNotPermittedException.class, Kind.PEER_LOST, false),
                connecting(ConnectionException.Kind.LIMIT, BackpressureException.class, Kind.BACKPRESSURE, true),
                connecting(ConnectionException.Kind.LOST, ConnectionLostException.class, Kind.PEER_LOST, true),
                problem(
                        CallNotPermittedException.createCallNotPermittedException(CircuitBreaker.ofDefaults("b")),
                        PeerUnavailableException.class,
                        Kind.PEER_LOST,
                        true),
                problem(
                        BulkheadFullException.createBulkheadFullException(Bulkhead.ofDefaults("b")),
                        BackpressureException.class,
                        Kind.BACKPRESSURE,
                        true),
                problem(verbs(Errno.ENOMEM), BackpressureException.class, Kind.BACKPRESSURE, true),
                problem(verbs(Errno.EIO), DeviceFailureException.class, Kind.PEER_LOST, false),
                problem(new CancellationException("no"), TransferCancelledException.class, Kind.CANCELLED, false),
                problem(new InterruptedException("no"), TransferCancelledException.class, Kind.CANCELLED, false),
                problem(new TimeoutException("late"), DeadlineExceededException.class, Kind.DEADLINE, true),
                problem(new IllegalArgumentException("no"), InvalidTransferException.class, Kind.INVALID, false),
                problem(new IllegalStateException("?"), PeerUnavailableException.class, Kind.PEER_LOST, false));
    }

    @ParameterizedTest
    @MethodSource("problems")
    void whenAProblemIsTranslatedThenItsClassSaysWhatItMeans(
            Throwable problem, Class<? extends TransferException> type, Kind kind, boolean retryable) {
        ExecutionException wrapped = new ExecutionException(new CompletionException(problem));
        TransferException e = TransferExceptionTranslator.translate("Push of tensor 't'", "ranker", wrapped);
        assertThat(e)
                .isExactlyInstanceOf(type)
                .hasCause(problem)
                .hasMessage("Push of tensor 't': " + problem.getMessage());
        assertThat(e.kind()).isEqualTo(kind);
        assertThat(e.isRetryable()).isEqualTo(retryable);
        assertThat(e.peer()).isEqualTo("ranker");
        assertThat(TransferExceptionTranslator.translate("again", "other", new CompletionException(e)))
                .isSameAs(e);
    }

    @ParameterizedTest
    @EnumSource(names = "SUCCESS", mode = EnumSource.Mode.EXCLUDE)
    void whenAWorkCompletionTellsThenItIsTheDevicesUnlessThePeerWasNotHeardOf(WorkCompletionStatus status) {
        ConnectionException lost =
                new ConnectionException(ConnectionException.Kind.LOST, "ranker", "lost", status, null);
        TransferException e = TransferExceptionTranslator.translate("Push", "ranker", lost);
        boolean path = OF_THE_PATH.contains(status);
        assertThat(e).isExactlyInstanceOf(path ? ConnectionLostException.class : DeviceFailureException.class);
        assertThat(e.status()).isEqualTo(status);
        assertThat(e.isRetryable()).isEqualTo(path);
        assertThat(e.kind()).isEqualTo(Kind.PEER_LOST);
    }

    @Test
    void whenThisNodeClosesThenItsClosedConnectionsAreItsOwnDoing() {
        ConnectionException closed = connection(ConnectionException.Kind.CLOSED);
        TransferException e = TransferExceptionTranslator.of("m", "ranker", null, closed, true);
        assertThat(e).isExactlyInstanceOf(TransfersClosedException.class);
        assertThat(e.kind()).isEqualTo(Kind.CLOSED);
        assertThat(e.isRetryable()).isFalse();
    }

    static Stream<Arguments> answers() {
        return Stream.of(
                arguments(RejectCode.NO_LISTENER, TransferRejectedException.class, Kind.REJECTED, false),
                arguments(RejectCode.CHECKSUM, ChecksumMismatchException.class, Kind.REJECTED, false),
                arguments(RejectCode.LISTENER_FAILED, ListenerFailedException.class, Kind.LISTENER_FAILED, false),
                arguments(RejectCode.BUSY, BackpressureException.class, Kind.BACKPRESSURE, true),
                arguments(RejectCode.SHUTTING_DOWN, PeerUnavailableException.class, Kind.PEER_LOST, true),
                arguments(RejectCode.REFUSED, TransferRejectedException.class, Kind.REJECTED, false));
    }

    @ParameterizedTest
    @MethodSource("answers")
    void whenThePeerAnswersThenItsCodeDecides(
            RejectCode code, Class<? extends TransferException> type, Kind kind, boolean retryable) {
        TransferException e = TransferExceptionTranslator.rejected(code, "ranker", "no");
        assertThat(e).isExactlyInstanceOf(type).hasMessage("no");
        assertThat(e.kind()).isEqualTo(kind);
        assertThat(e.isRetryable()).isEqualTo(retryable);
    }

    @Test
    void whenThePeerAnswersThenEveryCodeHasATest() {
        assertThat(answers().map(arguments -> arguments.get()[0])).containsExactly((Object[]) RejectCode.values());
    }

    static Stream<TransferException> all() {
        return Stream.of(
                new UnknownPeerException("p", "m", null),
                new PeerUnavailableException("p", "m", WorkCompletionStatus.RETRY_EXC_ERR, null, true),
                new PeerUnavailableException("p", "m", null, null, false),
                new ConnectionLostException("p", "m", WorkCompletionStatus.RETRY_EXC_ERR, null),
                new DeviceFailureException("p", "m", WorkCompletionStatus.LOC_PROT_ERR, null),
                new DeadlineExceededException("p", "m", WorkCompletionStatus.RETRY_EXC_ERR, null),
                new TransferRejectedException("p", "m", null),
                new ChecksumMismatchException("p", "m", null),
                new TransferNotPermittedException("p", "m", true, null),
                new TransferNotPermittedException("p", "m", false, null),
                new ListenerFailedException("p", "m", null),
                new BackpressureException("p", "m", WorkCompletionStatus.RETRY_EXC_ERR, null),
                new InvalidTransferException("p", "m", null),
                new TransferCancelledException("p", "m", null),
                new TransfersClosedException("p", "m", null));
    }

    @ParameterizedTest
    @MethodSource("all")
    void whenAFailureIsThrownAnewThenOnlyMessageAndStackAreOthers(TransferException failure) {
        TransferException anew = TransferExceptionTranslator.anew(failure, "other");
        assertThat(anew)
                .isExactlyInstanceOf(failure.getClass())
                .hasMessage("other")
                .hasCause(failure);
        assertThat(anew.kind()).isEqualTo(failure.kind());
        assertThat(anew.peer()).isEqualTo(failure.peer());
        assertThat(anew.status()).isEqualTo(failure.status());
        assertThat(anew.isRetryable()).isEqualTo(failure.isRetryable());
    }
}
