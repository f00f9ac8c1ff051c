package io.tensorfabric.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class JniReportTest {

    @Test
    void whenRoundsDifferThenMediansAreCompared() {
        JniReport report = new JniReport();
        for (double factor : new double[] {3, 1, 2}) {
            report.add(16, 30 * factor, 25 * factor);
            report.add(1, 200 * factor, 100 * factor);
        }
        StringWriter text = new StringWriter();
        report.print(new PrintWriter(text));
        assertThat(text.toString().lines())
                .contains("ratio jni 1 2.000", "ratio jni 16 1.200")
                .anyMatch(line -> line.matches("16 +60\\.0 +50\\.0"));
        assertThat(report.csv().lines())
                .containsExactly("batch,shim_nanos,c_nanos", "1,400.000,200.000", "16,60.000,50.000");
        assertThat(report.svg()).contains(">shim<", ">C<", ">16<");
    }
}
