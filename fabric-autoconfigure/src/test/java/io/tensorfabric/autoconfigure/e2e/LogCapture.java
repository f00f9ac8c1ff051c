package io.tensorfabric.autoconfigure.e2e;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.AppenderBase;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.spi.FilterReply;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.LoggerFactory;
import org.slf4j.bridge.SLF4JBridgeHandler;

/** Keeps every line of every logger at TRACE, with exceptions. */
final class LogCapture extends AppenderBase<ILoggingEvent> implements AutoCloseable {

    private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);

    private final Level before = root.getLevel();

    private final List<String> lines = new ArrayList<>();

    static LogCapture begin() {
        LogCapture capture = new LogCapture();
        capture.setContext(capture.root.getLoggerContext());
        capture.root.iteratorForAppenders().forEachRemaining(appender -> appender.addFilter(new AtLeastWarn()));
        capture.start();
        capture.root.addAppender(capture);
        capture.root.setLevel(Level.TRACE);
        SLF4JBridgeHandler.removeHandlersForRootLogger();
        SLF4JBridgeHandler.install();
        return capture;
    }

    /** Keeps the console readable. */
    private static final class AtLeastWarn extends Filter<ILoggingEvent> {

        @Override
        public FilterReply decide(ILoggingEvent event) {
            return event.getLevel().isGreaterOrEqual(Level.WARN) ? FilterReply.NEUTRAL : FilterReply.DENY;
        }
    }

    @Override
    protected void append(ILoggingEvent event) {
        String line = event.getLoggerName() + " " + event.getFormattedMessage();
        if (event.getThrowableProxy() != null) {
            line += "\n" + ThrowableProxyUtil.asString(event.getThrowableProxy());
        }
        synchronized (lines) {
            lines.add(line);
        }
    }

    List<String> lines() {
        synchronized (lines) {
            return List.copyOf(lines);
        }
    }

    @Override
    public void close() {
        SLF4JBridgeHandler.uninstall();
        root.detachAppender(this);
        root.setLevel(before);
        root.iteratorForAppenders().forEachRemaining(Appender::clearAllFilters);
    }
}
