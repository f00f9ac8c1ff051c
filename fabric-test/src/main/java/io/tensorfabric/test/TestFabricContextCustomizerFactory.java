package io.tensorfabric.test;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.TestContextAnnotationUtils;

/** Finds {@link AutoConfigureTestFabric} on test classes. */
final class TestFabricContextCustomizerFactory implements ContextCustomizerFactory {

    @Override
    public @Nullable ContextCustomizer createContextCustomizer(
            Class<?> testClass, List<ContextConfigurationAttributes> attributes) {
        AutoConfigureTestFabric annotation =
                TestContextAnnotationUtils.findMergedAnnotation(testClass, AutoConfigureTestFabric.class);
        return annotation == null ? null : new TestFabricContextCustomizer(List.of(annotation.peers()));
    }
}
