package io.tensorfabric.autoconfigure;

import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Stops the start under a Spring Boot that this is not made for, before anything fails over a class that is elsewhere there.
 */
final class BootVersionCheck implements BeanFactoryPostProcessor {

    private static final int LEAST_MAJOR = 4;

    private final String version;

    /** @param version of Spring Boot, as {@code 4.1.2} */
    BootVersionCheck(String version) {
        this.version = version;
    }

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
        if (major() < LEAST_MAJOR) {
            throw new FabricUnavailableException(
                    "Tensor Fabric is made for Spring Boot " + LEAST_MAJOR + ", and this application has " + version
                            + ".",
                    "Use Spring Boot " + LEAST_MAJOR + " for this application, or set 'fabric.enabled=false'.",
                    null);
        }
    }

    private int major() {
        String digits = version.substring(0, Math.max(0, version.indexOf('.')));
        return digits.matches("[0-9]{1,4}") ? Integer.parseInt(digits) : LEAST_MAJOR;
    }
}
