package io.tensorfabric.service;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;

/** The reference service. */
@SpringBootApplication
@ConfigurationPropertiesScan
public class TensorServiceApplication {

    /** Starts the service with Spring Boot's usual arguments. */
    public static void main(String[] args) {
        SpringApplication.run(TensorServiceApplication.class, args);
    }
}
