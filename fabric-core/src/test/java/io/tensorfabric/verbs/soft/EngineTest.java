package io.tensorfabric.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EngineTest {

    private final Engine engine =
            new Engine(SoftDeviceOptions.builder().ioThreads(2).build());

    @AfterEach
    void close() {
        engine.close();
    }

    @Test
    void whenLanesOfAPeerComeOneAfterTheOtherThenDifferentThreadsCopyThem() {
        IoLoop first = engine.nextReceiver();
        engine.nextSender();
        IoLoop second = engine.nextReceiver();
        assertThat(second).isNotSameAs(first);
        assertThat(engine.nextReceiver()).isSameAs(first);
    }
}
