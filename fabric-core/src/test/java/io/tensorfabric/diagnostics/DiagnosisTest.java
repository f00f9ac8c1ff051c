package io.tensorfabric.diagnostics;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.connection.ConnectionException;
import io.tensorfabric.transfer.ChecksumMismatchException;
import io.tensorfabric.transfer.ConnectionLostException;
import io.tensorfabric.transfer.DeadlineExceededException;
import io.tensorfabric.transfer.TransferNotPermittedException;
import io.tensorfabric.verbs.Errno;
import io.tensorfabric.verbs.VerbsException;
import io.tensorfabric.verbs.WorkCompletionStatus;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Failures are explained in the words of the fault table. */
class DiagnosisTest {

    static Stream<Arguments> problems() {
        ConnectionException refused = new ConnectionException(ConnectionException.Kind.REFUSED, "b", "401");
        ConnectionException loose = new ConnectionException(ConnectionException.Kind.LOST, "b", "lost");
        return Stream.of(
                Arguments.of(refused, Symptom.CALL_REFUSED.remedy()),
                Arguments.of(
                        new TransferNotPermittedException("b", "refused", false, refused),
                        Symptom.CALL_REFUSED.remedy()),
                Arguments.of(
                        new TransferNotPermittedException("b", "may not push", true, null), Symptom.NO_RIGHT.remedy()),
                Arguments.of(
                        new ConnectionLostException("b", "lost", WorkCompletionStatus.RETRY_EXC_ERR, loose),
                        WorkCompletionStatus.RETRY_EXC_ERR.remedy()),
                Arguments.of(
                        new ConnectionException(
                                ConnectionException.Kind.UNREACHABLE,
                                "b",
                                "no route",
                                null,
                                new VerbsException("ibv_modify_qp", Errno.ENETUNREACH, "b")),
                        Errno.ENETUNREACH.remedy()),
                Arguments.of(new ChecksumMismatchException("b", "differs", null), Symptom.CHECKSUM.remedy()),
                Arguments.of(new DeadlineExceededException("b", "late", null, null), Symptom.PATH_BROKEN.remedy()),
                Arguments.of(new IllegalStateException(), "Look at the log of both nodes."));
    }

    @ParameterizedTest
    @MethodSource("problems")
    void whenSomethingFailsThenTheRemedyIsThatOfItsInnermostKnownCause(Exception problem, String remedy) {
        assertThat(Diagnosis.of(problem).remedy()).isEqualTo(remedy);
        assertThat(Diagnosis.of(problem).detail()).isNotBlank();
    }
}
