package io.tensorfabric.verbs.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.tensorfabric.verbs.Errno;
import io.tensorfabric.verbs.VerbsException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class NativeHandleTest {

    private static final int THREADS = 8;

    private final AtomicInteger destroyed = new AtomicInteger();

    private volatile int answer;

    private NativeHandle handle(NativeHandle... parents) {
        return new NativeHandle("thing", 4096, "ibv_destroy_thing", this::destroy, parents);
    }

    private int destroy(long address) {
        if (answer == 0) {
            destroyed.incrementAndGet();
        }
        return answer;
    }

    private static void close(NativeHandle handle) {
        handle.close(() -> {});
    }

    @Test
    void whenClosedTwiceThenTheObjectIsDestroyedOnceAndItsAddressIsGone() {
        NativeHandle handle = handle();
        assertThat(handle.enter()).isEqualTo(4096);
        handle.exit();
        close(handle);
        close(handle);
        assertThat(destroyed).hasValue(1);
        assertThatIllegalStateException().isThrownBy(handle::enter).withMessage("The thing is closed");
        assertThat(handle.tryEnter()).isFalse();
    }

    @Test
    void whenSomethingDependsOnItThenClosingIsRefusedAndNamesIt() {
        NativeHandle parent = handle();
        NativeHandle child = new NativeHandle("small thing", 1, "ibv_destroy_thing", this::destroy, parent, handle());
        assertThatExceptionOfType(VerbsException.class)
                .isThrownBy(() -> close(parent))
                .withMessageContaining("small thing")
                .extracting(VerbsException::errno)
                .isEqualTo(Errno.EBUSY);
        assertThat(parent.enter()).isEqualTo(4096);
        parent.exit();
        close(child);
        close(parent);
        assertThat(parent.isClosed()).isTrue();
    }

    @Test
    void whenTheKernelRefusesThenTheObjectStaysOpenAndInUse() {
        NativeHandle handle = handle();
        answer = -Errno.EINVAL.number();
        assertThatExceptionOfType(VerbsException.class)
                .isThrownBy(() -> close(handle))
                .extracting(VerbsException::errno)
                .isEqualTo(Errno.EINVAL);
        assertThat(handle.isClosed()).isFalse();
        assertThat(handle.enter()).isEqualTo(4096);
        handle.exit();
        answer = 0;
        close(handle);
        assertThat(destroyed).hasValue(1);
    }

    @Test
    void whenReplacedThenTheNewAddressIsUsedAndAFailureClosesIt() {
        NativeHandle parent = handle();
        NativeHandle handle = handle(parent);
        handle.replace(() -> 8192);
        assertThat(destroyed).hasValue(1);
        assertThat(handle.enter()).isEqualTo(8192);
        handle.exit();
        assertThatExceptionOfType(VerbsException.class).isThrownBy(() -> handle.replace(() -> -Errno.ENOMEM.number()));
        assertThat(handle.isClosed()).isTrue();
        close(parent);
        assertThat(parent.isClosed()).isTrue();
    }

    @Test
    @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void whenAUserEntersAgainDuringACloseThenItIsRefusedAndTheCloseEnds() throws Exception {
        NativeHandle handle = handle();
        handle.enter();
        CompletableFuture<Void> closing = CompletableFuture.runAsync(() -> close(handle));
        await().until(handle::isClosing);
        assertThatIllegalStateException().isThrownBy(handle::enter).withMessageContaining("is being closed");
        handle.exit();
        closing.get(10, TimeUnit.SECONDS);
        assertThat(handle.isClosed()).isTrue();
    }

    @Test
    void whenUsedAndClosedByManyThreadsThenNoUseSeesADestroyedObject() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            for (int round = 0; round < 1000; round++) {
                race(threads);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(destroyed).hasValue(1000);
    }

    private void race(ExecutorService threads) throws Exception {
        AtomicBoolean dead = new AtomicBoolean();
        NativeHandle handle = new NativeHandle("thing", 4096, "ibv_destroy_thing", address -> {
            dead.set(true);
            return destroy(address);
        });
        CountDownLatch start = new CountDownLatch(1);
        List<Future<?>> running = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            boolean closes = i < 2;
            running.add(threads.submit(() -> {
                start.await();
                if (closes) {
                    close(handle);
                    assertThat(handle.isClosed()).isTrue();
                } else {
                    useUntilClosed(handle, dead);
                }
                return null;
            }));
        }
        start.countDown();
        for (Future<?> each : running) {
            each.get(30, TimeUnit.SECONDS);
        }
    }

    private static void useUntilClosed(NativeHandle handle, AtomicBoolean dead) {
        while (handle.tryEnter()) {
            try {
                assertThat(dead).isFalse();
            } finally {
                handle.exit();
            }
        }
        assertThat(handle.isClosing()).isTrue();
    }
}
