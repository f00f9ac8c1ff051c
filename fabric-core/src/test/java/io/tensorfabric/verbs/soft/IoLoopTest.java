package io.tensorfabric.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class IoLoopTest {

    private final IoLoop loop = new IoLoop("loop-under-test");

    private final AtomicBoolean served = new AtomicBoolean();

    private Pipe pipe;

    @BeforeEach
    void start() throws IOException {
        pipe = Pipe.open();
        pipe.source().configureBlocking(false);
        loop.start();
    }

    @AfterEach
    void stop() throws IOException {
        loop.stop();
        pipe.sink().close();
        pipe.source().close();
    }

    private void register() throws Exception {
        CompletableFuture<SelectionKey> registered = new CompletableFuture<>();
        IoLoop.Handler handler = new IoLoop.Handler() {
            @Override
            public void ready(int operations) throws IOException {
                pipe.source().read(ByteBuffer.allocate(1));
                served.set(true);
            }

            @Override
            public void close() {}
        };
        loop.execute(() -> {
            try {
                registered.complete(pipe.source().register(loop.selector(), SelectionKey.OP_READ, handler));
            } catch (IOException ex) {
                registered.completeExceptionally(ex);
            }
        });
        registered.get(10, TimeUnit.SECONDS);
    }

    /** Goes on until the socket was served, as a large copy goes on piece by piece. */
    private void goOn(CountDownLatch over) {
        if (served.get()) {
            over.countDown();
        } else {
            loop.execute(() -> goOn(over));
        }
    }

    @Test
    void whenWorkGoesOnPieceByPieceThenSocketsAreServedBetween() throws Exception {
        register();
        CountDownLatch over = new CountDownLatch(1);
        loop.execute(() -> goOn(over));
        pipe.sink().write(ByteBuffer.allocate(1));
        boolean between = over.await(10, TimeUnit.SECONDS);
        served.set(true);
        assertThat(between).isTrue();
    }

    @Test
    void whenTasksFailOrAreManyThenAllOthersRun() throws Exception {
        AtomicInteger ran = new AtomicInteger();
        CountDownLatch all = new CountDownLatch(1);
        for (int i = 0; i < 1000; i++) {
            int number = i;
            loop.execute(() -> {
                if (number % 100 == 0) {
                    throw new IllegalStateException("thrown by the test");
                }
                ran.incrementAndGet();
            });
        }
        loop.execute(all::countDown);
        assertThat(all.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(ran).hasValue(990);
    }
}
