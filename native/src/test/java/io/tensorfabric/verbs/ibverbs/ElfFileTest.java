package io.tensorfabric.verbs.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

class ElfFileTest {

    @Test
    @EnabledIf(value = "io.tensorfabric.verbs.ibverbs.Shim#present", disabledReason = "the build has no native shim")
    void whenTheFileIsTheShimThenThereIsNoProblem() {
        assertThat(ElfFile.problem(Shim.file(), NativePlatform.name())).isNull();
    }

    @Test
    void whenTheFileCannotBeReadThenThatIsTheProblem() {
        assertThat(ElfFile.problem(Path.of("/nowhere/at/all.so"), "linux-x86_64"))
                .contains("cannot be read");
    }
}
