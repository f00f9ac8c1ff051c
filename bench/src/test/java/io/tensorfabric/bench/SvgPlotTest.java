package io.tensorfabric.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorfabric.bench.SvgPlot.Point;
import java.util.List;
import org.junit.jupiter.api.Test;

class SvgPlotTest {

    private static final List<Point> OURS = List.of(new Point(64, 10), new Point(4096, 100));

    @Test
    void whenCurvesAreDrawnThenEachHasItsNameAndItsPoints() {
        String svg = new SvgPlot("Bandwidth").curve("ours", OURS).draw();
        assertThat(svg).startsWith("<svg ").contains(">Bandwidth<", ">ours<", ">64B<", ">4KB<");
        assertThat(points(svg)).hasSize(2);
    }

    @Test
    void whenNothingWasMeasuredForAPointThenItIsLeftOut() {
        List<Point> theirs = List.of(new Point(64, 0), new Point(4096, 50));
        String svg = new SvgPlot("Bandwidth")
                .curve("theirs", theirs)
                .curve("ours", OURS)
                .draw();
        assertThat(points(svg)).hasSize(1);
        assertThat(svg).doesNotContain("Infinity", "NaN");
    }

    /** Those of the first curve. */
    private static List<String> points(String svg) {
        String from = svg.substring(svg.indexOf("points=\"") + 8);
        return List.of(from.substring(0, from.indexOf('"')).split(" ", -1));
    }
}
