package io.tensorfabric.service;

import io.tensorfabric.service.check.CheckApplication;
import java.util.List;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;

/** The reference service. */
@SpringBootApplication
@ConfigurationPropertiesScan
public class TensorServiceApplication {

    /** Starts the service with Spring Boot's usual arguments, or with {@code check} first checks one that runs. */
    public static void main(String[] args) {
        if (args.length > 0 && args[0].equals("check")) {
            System.exit(CheckApplication.run(List.of(args).subList(1, args.length)));
        }
        SpringApplication.run(TensorServiceApplication.class, args);
    }
}
