package io.tensorfabric.diagnostics;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.verbs.Errno;
import io.tensorfabric.verbs.WorkCompletionStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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
                    assertThat(fault.check()).matches("[A-Z`].+[.?]");
                });
    }

    @Test
    void whenThereIsASymptomThenItHasCauseCheckAndRemedyAndNoOtherLooksTheSame() {
        assertThat(Symptom.values()).hasSizeGreaterThan(29).allSatisfy(symptom -> {
            assertThat(symptom.seen()).matches("[A-Za-z].+[.]");
            assertThat(symptom.cause()).matches("[A-Z].+[.]");
            assertThat(symptom.check()).matches("[A-Z`].+[.]");
            assertThat(symptom.check().chars().filter(c -> c == '`').count() % 2)
                    .isZero();
            assertThat(symptom.remedy()).matches("[A-Z`].+[.]");
        });
        assertThat(Symptom.values()).extracting(Symptom::seen).doesNotHaveDuplicates();
        assertThat(FaultTable.symptomsToMarkdown().lines())
                .hasSize(Symptom.values().length + 2)
                .allMatch(line -> line.replaceAll("\\\\.", "")
                                .chars()
                                .filter(c -> c == '|')
                                .count()
                        == 5);
    }

    @Test
    void whenASymptomNamesAnEndpointOrAPropertyThenThatExists() throws IOException {
        String properties = Files.readString(TroubleshootingPage.path().resolveSibling("properties.md"));
        String actuator = Files.readString(TroubleshootingPage.path().resolveSibling("actuator.md"));
        for (Symptom symptom : Symptom.values()) {
            String text = String.join(" ", symptom.seen(), symptom.cause(), symptom.check(), symptom.remedy());
            Matcher property = Pattern.compile("'(fabric\\.[a-z.-]+)").matcher(text);
            while (property.find()) {
                assertThat(properties)
                        .as(symptom + " names " + property.group(1))
                        .contains("`" + property.group(1));
            }
            Matcher endpoint = Pattern.compile("`(/actuator/[a-z/-]+)`").matcher(text);
            while (endpoint.find()) {
                assertThat(actuator).as(symptom + " names " + endpoint.group(1)).contains(endpoint.group(1));
            }
        }
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
        assertThat(FaultTable.toMarkdown(
                        List.of(new Fault("A_B", -1, "x | y", "`a_b | c` and d_e", "/dev/u* <n> a_b"))))
                .endsWith("| `A_B` | other | x \\| y | `a_b \\| c` and d\\_e | /dev/u\\* &lt;n> a\\_b |\n");
    }
}
