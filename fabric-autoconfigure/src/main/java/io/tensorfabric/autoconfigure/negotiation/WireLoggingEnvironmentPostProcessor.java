package io.tensorfabric.autoconfigure.negotiation;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/**
 * Keeps web servers' loggers that print received bytes at INFO, also when the root logger is set to DEBUG or TRACE: the bytes
 * of a negotiation hold remote keys. A level that the application sets for such a logger itself still wins.
 */
final class WireLoggingEnvironmentPostProcessor implements EnvironmentPostProcessor {

    private static final String SOURCE = "fabricWireLogging";

    private static final List<String> LOGGERS = List.of(
            "org.apache.coyote.http11.Http11InputBuffer",
            "org.apache.coyote.http2",
            "org.apache.tomcat.util.net",
            "org.eclipse.jetty.http.HttpParser",
            "org.eclipse.jetty.io");

    @Override
    public void postProcessEnvironment(ConfigurableEnvironment environment, SpringApplication application) {
        Map<String, Object> levels = new LinkedHashMap<>();
        LOGGERS.forEach(logger -> levels.put("logging.level." + logger, "info"));
        environment.getPropertySources().addLast(new MapPropertySource(SOURCE, levels));
    }
}
