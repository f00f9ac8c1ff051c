package io.tensorfabric.bench;

/** Puts failures into one line. */
final class Failures {

    private Failures() {}

    /** The messages of a failure and its causes, outermost first. */
    static String describe(Throwable failure) {
        StringBuilder text = new StringBuilder(String.valueOf(failure.getMessage()));
        for (Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) {
            String message = cause.getMessage();
            if (message != null && text.indexOf(message) < 0) {
                text.append(": ").append(message);
            }
        }
        return text.toString();
    }
}
