package io.tensorfabric.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.mock.env.MockEnvironment;

class AddressLifetimeEnvironmentPostProcessorTest {

    private static final String JAVA_SETTING = "networkaddress.cache.ttl";

    private final Map<String, String> security = new HashMap<>();

    private final MockEnvironment environment = new MockEnvironment();

    @Test
    void whenNobodySaysAnythingThenJavaKeepsAddressesForTenSeconds() {
        process();

        assertThat(security).containsEntry(JAVA_SETTING, "10");
    }

    @ParameterizedTest
    @CsvSource({"3s, 3", "5, 5", "1m, 60"})
    void whenThePropertyIsSetThenJavaKeepsAddressesThatLong(String property, String seconds) {
        environment.setProperty(AddressLifetimeEnvironmentPostProcessor.PROPERTY, property);

        process();

        assertThat(security).containsEntry(JAVA_SETTING, seconds);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0s", "a while", "-4s"})
    void whenThePropertyIsZeroOrNoLifetimeThenJavasSettingStays(String property) {
        environment.setProperty(AddressLifetimeEnvironmentPostProcessor.PROPERTY, property);

        process();

        assertThat(security).isEmpty();
    }

    @Test
    void whenTheProcessWasToldItselfThenItsSettingStays() {
        security.put(JAVA_SETTING, "77");

        process();

        assertThat(security).containsEntry(JAVA_SETTING, "77");
    }

    private void process() {
        new AddressLifetimeEnvironmentPostProcessor(security::get, security::put)
                .postProcessEnvironment(environment, new SpringApplication());
    }
}
