package io.tensorfabric.diagnostics;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.verbs.Errno;
import io.tensorfabric.verbs.WorkCompletionStatus;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class FaultTableTest {

    @Test
    void everyFailureHasACauseAndARemedyInSentences() {
        assertThat(Stream.concat(FaultTable.workCompletions().stream(), FaultTable.errnos().stream()))
                .hasSize(WorkCompletionStatus.values().length - 1 + Errno.values().length)
                .allSatisfy(fault -> {
                    assertThat(fault.cause()).matches("[A-Z].+[.]");
                    assertThat(fault.remedy()).matches("[A-Z].+[.]");
                });
    }

    @Test
    void eachNameAndNumberIsThereOnce() {
        assertThat(FaultTable.workCompletions())
                .extracting(Fault::name)
                .doesNotHaveDuplicates()
                .doesNotContain("SUCCESS");
        assertThat(FaultTable.workCompletions())
                .extracting(Fault::number)
                .isSorted()
                .doesNotHaveDuplicates();
        assertThat(FaultTable.errnos()).extracting(Fault::number).doesNotHaveDuplicates();
    }

    @Test
    void whatMarkdownWouldReadIsEscaped() {
        assertThat(FaultTable.toMarkdown(List.of(new Fault("A_B", -1, "x | y", "/dev/u* <n> a_b"))))
                .endsWith("| `A_B` | other | x \\| y | /dev/u\\* &lt;n> a\\_b |\n");
    }
}
