package io.tensorfabric.diagnostics;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class FaqPageTest {

    private static final String STALE =
            "stale? write it with: mvn -pl fabric-core test -Dtest=FaqPageTest -Dfabric.docs.write=true";

    @Test
    void whenThePageTellsOfAFailureThenItSaysWhatTheFaultTableSays() throws IOException {
        if (Boolean.getBoolean("fabric.docs.write")) {
            FaqPage.write();
        }
        assertThat(Files.readString(FaqPage.path())).as(STALE).isEqualTo(FaqPage.render());
    }

    @Test
    void whenThereIsASymptomThenThePageAnswersItOnceByAQuestionOfItsOwn() throws IOException {
        String page = Files.readString(FaqPage.path());
        List<String> questions = page.lines()
                .filter(line -> line.startsWith("**"))
                .map(line -> line.substring(2, line.indexOf("**", 2)))
                .collect(Collectors.toList());
        assertThat(questions).doesNotHaveDuplicates().allMatch(question -> question.endsWith("?"));
        assertThat(Stream.of(Symptom.values()).map(symptom -> FaqPage.text(symptom.remedy())))
                .allMatch(remedy -> page.contains(remedy), "is on the page");
    }
}
