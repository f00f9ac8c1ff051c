package io.tensorfabric.test;

import org.springframework.context.ApplicationContext;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestExecutionListener;

/** Resets test peers after each test, so that tests which share an application do not see each other. */
final class TestFabricResetListener implements TestExecutionListener {

    @Override
    public void afterTestMethod(TestContext testContext) {
        if (testContext.hasApplicationContext()) {
            ApplicationContext context = testContext.getApplicationContext();
            for (String name : context.getBeanNamesForType(FabricTestPeer.class, false, false)) {
                context.getBean(name, FabricTestPeer.class).reset();
            }
        }
    }
}
