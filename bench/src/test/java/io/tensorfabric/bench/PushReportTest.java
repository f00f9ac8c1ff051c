package io.tensorfabric.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringReader;
import java.io.StringWriter;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

class PushReportTest {

    private final PushReport report = new PushReport(
            List.of(
                    new Figures(new ByteSize(4096), 1000, 0.5, 64, 20, 40, 80),
                    new Figures(new ByteSize(1 << 20), 2000, 0.25, 100, 300, 500, 900)),
            List.of(8.192e6, 4.194304e9));

    @Test
    void whenPrintedThenEachSizeHasALineWithItsFigures() {
        StringWriter text = new StringWriter();
        PrintWriter out = new PrintWriter(text);
        report.print(out);
        out.flush();

        assertThat(text.toString())
                .containsPattern("4KB +0\\.004 +1000 +20\\.0 +40\\.0 +80\\.0 +0\\.500 +64\\R")
                .containsPattern("1MB +2\\.097 +2000 +300\\.0 +500\\.0 +900\\.0 +0\\.250 +100\\R")
                .contains("ratio push-memcpy 4KB 0.5000", "ratio push-memcpy 1MB 0.5000");
    }

    @Test
    void whenWrittenAsCsvThenTheFiguresAreThereInBaseUnits() {
        assertThat(report.csv().lines())
                .startsWith("bytes,bytes_per_second,pushes_per_second,p50_micros,p99_micros,p999_micros,"
                        + "cpu_seconds_per_gb,allocated_per_push")
                .contains("4096,4096000,1000.0,20.000,40.000,80.000,0.5000,64.0")
                .hasSize(3);
    }

    @Test
    void whenDrawnThenItIsXmlWithACurveForEachFigureAndATickForEachSize() throws Exception {
        Document drawing = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new InputSource(new StringReader(report.svg())));

        assertThat(drawing.getElementsByTagName("polyline").getLength()).isEqualTo(3);
        assertThat(report.svg()).contains(">4KB<", ">1MB<", ">GB/s<", ">p99 us<");
    }

    @Test
    void whenAValueIsLargerThenItIsDrawnHigherAndALargerSizeFartherRight() {
        String svg = new SvgPlot("t")
                .curve("c", List.of(new SvgPlot.Point(1024, 1), new SvgPlot.Point(4096, 100)))
                .draw();

        // The first and last powers of both axes are the corners of the field.
        assertThat(svg).contains("<polyline points=\"64.0,356.0 656.0,64.0\"");
    }
}
