package io.tensorfabric.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.connection.NodeIdentity;
import org.junit.jupiter.api.Test;

class SenderLedgerTest {

    @Test
    void whenASenderRestartsThenItsOldTransfersAreForgotten() {
        SenderLedgers ledgers = new SenderLedgers(10);
        SenderLedger first = ledgers.of(new NodeIdentity("n", "1"));
        assertThat(ledgers.of(new NodeIdentity("n", "1"))).isSameAs(first);
        assertThat(ledgers.of(new NodeIdentity("m", "1"))).isNotSameAs(first);
        assertThat(ledgers.of(new NodeIdentity("n", "2"))).isNotSameAs(first);
        assertThat(ledgers.of(new NodeIdentity("n", "1"))).isNotSameAs(first);
    }
}
