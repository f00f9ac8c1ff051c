package io.tensorfabric.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GrantTest {

    private static Grant at(long address) {
        return new Region(new Object(), address, 4096, 0, null);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 4096, true",
        "4095, 1, true",
        "4096, 0, true",
        "0, 0, true",
        "4096, 1, false",
        "4095, 2, false",
        "-1, 1, false",
        "-1, 0, false",
        "4097, 0, false",
        "0, 4097, false",
        "0, 4294967297, false",
        "0, -1, false",
        "1, 9223372036854775807, false"
    })
    void whenARangeIsTestedThenSumsDoNotWrap(long offset, long length, boolean inside) {
        for (long start : new long[] {16, 1L << 40, Long.MAX_VALUE - 2048, -8192, -4096}) {
            boolean wrapped = Long.compareUnsigned(start + offset, start) < 0 && offset >= 0;
            if (!wrapped) {
                assertThat(at(start).covers(start + offset, length))
                        .as("start %x", start)
                        .isEqualTo(inside);
            }
        }
    }

    @Test
    void whenARangeEndsBeyondTheAddressSpaceThenItIsOutside() {
        assertThat(at(16).covers(-80, 96)).isFalse();
    }

    @Test
    void whenRevokedThenItWaitsForUsersAndAdmitsNone() throws Exception {
        Grant grant = at(4096);
        assertThat(grant.enter()).isTrue();
        CompletableFuture<Boolean> revoked = new CompletableFuture<>();
        new Thread(() -> revoked.complete(grant.revoke())).start();
        await().until(() -> {
            boolean entered = grant.enter();
            if (entered) {
                grant.exit();
            }
            return !entered;
        });
        assertThat(revoked).isNotDone();
        grant.exit();
        assertThat(revoked.get(5, TimeUnit.SECONDS)).isTrue();
        assertThat(grant.enter()).isFalse();
    }
}
