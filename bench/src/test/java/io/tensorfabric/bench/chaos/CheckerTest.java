package io.tensorfabric.bench.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.bench.chaos.Incarnation.End;
import io.tensorfabric.bench.chaos.Incarnation.Pause;
import io.tensorfabric.transfer.ReceiptLevel;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CheckerTest {

    private static final PushId PUSH = new PushId("a", 0, 1, 4096);

    private static final long DEADLINE_MILLIS = 1000;

    @Test
    void whenATensorArrivesOnceAndTheReceiptIsTrueThenNothingIsWrong() {
        Tally tally = check(
                sender(End.TERMINATED, started(ReceiptLevel.PROCESSED), ended(20, "PROCESSED")),
                receiver(0, End.TERMINATED, received(10, Event.INTACT)));

        assertThat(tally.violations()).isEmpty();
        assertThat(tally.pushes()).isOne();
        assertThat(tally.delivered()).isOne();
        assertThat(tally.outcomes()).containsOnlyKeys("PROCESSED").containsEntry("PROCESSED", 1L);
    }

    @Test
    void whenAReceiverGetsATensorTwiceThenThatIsADuplicate() {
        assertViolation(
                "duplicate",
                sender(End.TERMINATED, started(ReceiptLevel.PROCESSED), ended(20, "PROCESSED")),
                receiver(0, End.TERMINATED, received(10, Event.INTACT), received(15, Event.INTACT)));
    }

    @Test
    void whenTheReceiverWasKilledInBetweenThenASecondDeliveryIsNoDuplicate() {
        Tally tally = check(
                sender(End.TERMINATED, started(ReceiptLevel.PROCESSED), ended(900, "PROCESSED")),
                receiver(0, End.KILLED, received(10, Event.INTACT)),
                receiver(1, End.TERMINATED, received(800, Event.INTACT)));

        assertThat(tally.violations()).isEmpty();
        assertThat(tally.redelivered()).isOne();
    }

    @Test
    void whenALaterStartGetsATensorWhoseReceiptWasThereThenThatIsADuplicate() {
        assertViolation(
                "duplicate",
                sender(End.TERMINATED, started(ReceiptLevel.PROCESSED), ended(20, "PROCESSED")),
                receiver(0, End.KILLED, received(10, Event.INTACT)),
                receiver(1, End.TERMINATED, received(800, Event.INTACT)));
    }

    @Test
    void whenAByteIsWrongThenTheTensorIsDamaged() {
        assertViolation(
                "damaged",
                sender(End.TERMINATED, started(ReceiptLevel.PROCESSED), ended(20, "PROCESSED")),
                receiver(0, End.TERMINATED, received(10, "it differs from byte 8 on")));
    }

    @Test
    void whenAPushEndsAfterItsDeadlineThenItIsLate() {
        long late = DEADLINE_MILLIS + Checker.LATE_AT_FIRST.toMillis() + 1;
        assertViolation("late", sender(End.TERMINATED, started(ReceiptLevel.PLACED), ended(late, "DEADLINE")));
    }

    @Test
    void whenTheProcessHasRunForAWhileThenItsPushesAreLateSooner() {
        PushId second = new PushId("a", 0, 2, 0);
        long begin = Checker.AT_FIRST.toMillis();
        long end = begin + DEADLINE_MILLIS + Checker.LATE.toMillis() + 1;
        assertViolation(
                "late: push " + second,
                sender(
                        End.TERMINATED,
                        started(ReceiptLevel.PLACED),
                        ended(DEADLINE_MILLIS + Checker.LATE_AT_FIRST.toMillis(), "DEADLINE"),
                        new Event.Started(nanos(begin), second, "b", ReceiptLevel.PLACED, DEADLINE_MILLIS),
                        new Event.Ended(nanos(end), second, "DEADLINE", "")));
    }

    @Test
    void whenTheSenderStoodStillThenThatTimeDoesNotCount() {
        long late = DEADLINE_MILLIS + Checker.LATE_AT_FIRST.toMillis() + 1;
        Pause pause = new Pause(nanos(500), nanos(1500));
        List<Event> events = List.of(started(ReceiptLevel.PLACED), ended(late, "DEADLINE"));

        Tally tally = check(new Incarnation("a", 0, End.TERMINATED, nanos(9000), nanos(9000), List.of(pause), events));

        assertThat(tally.violations()).isEmpty();
    }

    @Test
    void whenAPushHasNoEndThenOnlyAKillExcusesIt() {
        assertViolation("no end", sender(End.TERMINATED, started(ReceiptLevel.ACCEPTED)));

        Tally tally = check(sender(End.KILLED, started(ReceiptLevel.ACCEPTED)));
        assertThat(tally.violations()).isEmpty();
        assertThat(tally.lostWithSender()).isOne();
    }

    @Test
    void whenAPushEndsWithAnythingButATypedExceptionThenThatIsWrong() {
        assertViolation(
                "wrong outcome",
                sender(End.TERMINATED, started(ReceiptLevel.ACCEPTED), ended(5, "java.lang.IllegalStateException")));
        assertViolation("wrong outcome", sender(End.TERMINATED, started(ReceiptLevel.ACCEPTED), ended(5, "REJECTED")));
    }

    @Test
    void whenAProcessedTensorReachedNoListenerBeforeItsReceiptThenTheReceiptIsFalse() {
        assertViolation(
                "false receipt",
                sender(End.TERMINATED, started(ReceiptLevel.PROCESSED), ended(20, "PROCESSED")),
                receiver(0, End.TERMINATED, received(21, Event.INTACT)));
    }

    @Test
    void whenAnAcceptedTensorReachesNoListenerThenOnlyAKillExcusesIt() {
        assertViolation(
                "lost",
                sender(End.TERMINATED, started(ReceiptLevel.ACCEPTED), ended(20, "ACCEPTED")),
                receiver(0, End.TERMINATED));

        Tally tally = check(
                sender(End.TERMINATED, started(ReceiptLevel.ACCEPTED), ended(20, "ACCEPTED")), receiver(0, End.KILLED));
        assertThat(tally.violations()).isEmpty();
        assertThat(tally.lostWithReceiver()).isOne();
    }

    @Test
    void whenTheReceiverIsKilledLongAfterTheReceiptThenThatExcusesNothing() {
        long later = nanos(20) + Checker.DELIVERY.toNanos() + 1;
        assertViolation(
                "lost",
                sender(End.TERMINATED, started(ReceiptLevel.ACCEPTED), ended(20, "ACCEPTED")),
                new Incarnation("b", 0, End.KILLED, later, later, List.of(), List.of()));
    }

    @Test
    void whenAPlacedTensorIsRefusedByAReceiverThatWasToldToEndThenItMayBeLost() {
        Tally tally = check(
                sender(End.TERMINATED, started(ReceiptLevel.PLACED), ended(20, "PLACED")), receiver(0, End.TERMINATED));
        assertThat(tally.violations()).isEmpty();
        assertThat(tally.lostWithReceiver()).isOne();

        assertViolation(
                "lost",
                sender(End.TERMINATED, started(ReceiptLevel.PLACED), ended(20, "PLACED")),
                new Incarnation("b", 0, End.TERMINATED, nanos(9000), nanos(9000), List.of(), List.of()));
    }

    @Test
    void whenATensorArrivesAtAnotherNodeOrOutOfNothingThenThatIsWrong() {
        Incarnation other = new Incarnation(
                "c", 0, End.TERMINATED, nanos(9000), nanos(9000), List.of(), List.of(received(5, Event.INTACT)));

        assertViolation("astray", sender(End.TERMINATED, started(ReceiptLevel.PLACED), ended(5, "DEADLINE")), other);
        assertViolation("out of nothing", other);
    }

    @Test
    void whenANodeHoldsMoreThanBeforeThenThatIsALeak() {
        Figures baseline = new Figures(0, 0, 1000, 8, 4, 2, 50, 90);

        assertThat(baseline.leaks("a", baseline)).isEmpty();
        assertThat(new Figures(0, 0, 900, 8, 4, 2, 50 + Figures.THREAD_SLACK, 90).leaks("a", baseline))
                .isEmpty();
        assertThat(new Figures(1, 1, 1001, 9, 5, 3, 51 + Figures.THREAD_SLACK, 91 + Figures.FILE_SLACK)
                        .leaks("a", baseline))
                .hasSize(8)
                .allSatisfy(leak -> assertThat(leak).startsWith("leak: node a"));
    }

    private static void assertViolation(String kind, Incarnation... incarnations) {
        assertThat(check(incarnations).violations()).singleElement().asString().startsWith(kind);
    }

    private static Tally check(Incarnation... incarnations) {
        return Checker.check(List.of(incarnations), 1);
    }

    private static Incarnation sender(End end, Event... events) {
        return new Incarnation("a", 0, end, nanos(9000), nanos(9000), List.of(), List.of(events));
    }

    private static Incarnation receiver(int generation, End end, Event... events) {
        long time = nanos(500 + 1000L * generation);
        return new Incarnation("b", generation, end, time, time, List.of(), List.of(events));
    }

    private static Event started(ReceiptLevel level) {
        return new Event.Started(0, PUSH, "b", level, DEADLINE_MILLIS);
    }

    private static Event ended(long millis, String outcome) {
        return new Event.Ended(nanos(millis), PUSH, outcome, "");
    }

    private static Event received(long millis, String verdict) {
        return new Event.Received(nanos(millis), PUSH, verdict);
    }

    private static long nanos(long millis) {
        return TimeUnit.MILLISECONDS.toNanos(millis);
    }
}
