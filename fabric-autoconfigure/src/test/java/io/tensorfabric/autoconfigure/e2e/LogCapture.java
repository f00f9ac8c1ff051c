package io.tensorfabric.autoconfigure.e2e;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import java.util.ArrayList;
import java.util.List;

/** Keeps every line of every logger, with exceptions, over all instances: each application start makes a new one. */
public final class LogCapture extends AppenderBase<ILoggingEvent> {

    private static final List<String> LINES = new ArrayList<>();

    @Override
    protected void append(ILoggingEvent event) {
        String line = event.getLoggerName() + " " + event.getFormattedMessage();
        if (event.getThrowableProxy() != null) {
            line += "\n" + ThrowableProxyUtil.asString(event.getThrowableProxy());
        }
        synchronized (LINES) {
            LINES.add(line);
        }
    }

    static List<String> lines() {
        synchronized (LINES) {
            return List.copyOf(LINES);
        }
    }

    static void clear() {
        synchronized (LINES) {
            LINES.clear();
        }
    }
}
