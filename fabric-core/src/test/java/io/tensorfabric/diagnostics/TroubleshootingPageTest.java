package io.tensorfabric.diagnostics;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;

class TroubleshootingPageTest {

    @Test
    void thePageSaysWhatTheFaultTableSays() throws IOException {
        if (Boolean.getBoolean("fabric.docs.write")) {
            TroubleshootingPage.write();
        }
        assertThat(TroubleshootingPage.path())
                .as(
                        "stale? write it with: mvn -pl fabric-core test -Dtest=TroubleshootingPageTest -Dfabric.docs.write=true")
                .exists();
        assertThat(Files.readString(TroubleshootingPage.path()))
                .as(
                        "stale? write it with: mvn -pl fabric-core test -Dtest=TroubleshootingPageTest -Dfabric.docs.write=true")
                .isEqualTo(TroubleshootingPage.render());
    }
}
