package io.tensorfabric.bench.chaos;

import io.tensorfabric.transfer.ReceiptLevel;
import org.jspecify.annotations.Nullable;

/** What a node notes. Times are {@link System#nanoTime()}, which all processes of one Linux machine share. */
sealed interface Event {

    /** What receivers say of a tensor that is what its sender pushed. */
    String INTACT = "intact";

    /** When it happened, in nanoseconds. */
    long time();

    /** The line of a journal, without its end. */
    String line();

    /** A push begins. */
    record Started(long time, PushId push, String receiver, ReceiptLevel level, long deadlineMillis) implements Event {
        @Override
        public String line() {
            return "S " + time + " " + push + " " + receiver + " " + level + " " + deadlineMillis;
        }
    }

    /**
     * A push has ended.
     *
     * @param outcome a receipt level, the kind of a transfer exception, or the class of another throwable
     * @param text message of the exception, else empty
     */
    record Ended(long time, PushId push, String outcome, String text) implements Event {
        @Override
        public String line() {
            return "E " + time + " " + push + " " + outcome + " " + oneLine(text);
        }
    }

    /**
     * A listener was given a tensor.
     *
     * @param push the push, {@code null} if the tensor's name tells none
     * @param verdict {@link #INTACT} or what is wrong with it
     */
    record Received(long time, @Nullable PushId push, String verdict) implements Event {
        @Override
        public String line() {
            return "R " + time + " " + (push == null ? "-" : push.tensorName()) + " " + oneLine(verdict);
        }
    }

    /** The node could not do what the test asks of it. */
    record Broken(long time, String text) implements Event {
        @Override
        public String line() {
            return "B " + time + " - " + oneLine(text);
        }
    }

    /** Reads what {@link #line()} wrote. */
    static Event parse(String line) {
        String[] parts = line.split(" ", 5);
        long time = Long.parseLong(parts[1]);
        switch (parts[0]) {
            case "S" -> {
                String[] rest = parts[4].split(" ", -1);
                return new Started(
                        time, PushId.parse(parts[2]), parts[3], ReceiptLevel.valueOf(rest[0]), Long.parseLong(rest[1]));
            }
            case "E" -> {
                return new Ended(time, PushId.parse(parts[2]), parts[3], parts.length > 4 ? parts[4] : "");
            }
            case "R" -> {
                PushId push = parts[2].equals("-") ? null : PushId.parse(parts[2]);
                return new Received(time, push, rest(line));
            }
            case "B" -> {
                return new Broken(time, rest(line));
            }
            default -> throw new IllegalArgumentException("Not an event: " + line);
        }
    }

    private static String rest(String line) {
        return line.split(" ", 4)[3];
    }

    private static String oneLine(String text) {
        return text.replaceAll("\\s+", " ");
    }
}
