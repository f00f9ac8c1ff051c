package io.tensorfabric.bench;

import io.tensorfabric.annotation.TensorListener;
import io.tensorfabric.transfer.ReceivedTensor;
import java.util.List;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** An application with the starter, as users have it: it takes what peers push and lets go of it. */
@SpringBootApplication(proxyBeanMethods = false)
class BenchNode {

    static ConfigurableApplicationContext start(List<String> arguments) {
        SpringApplication application = new SpringApplication(BenchNode.class);
        application.setRegisterShutdownHook(true);
        return application.run(arguments.toArray(String[]::new));
    }

    static int port(ConfigurableApplicationContext node) {
        return node.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
    }

    @TensorListener(names = "*")
    void received(ReceivedTensor tensor) {
        tensor.close();
    }
}
