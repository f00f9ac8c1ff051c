/** Tests of the chart: what it renders, what it refuses, and whether the service can live with it. */
@NullMarked
package io.tensorfabric.chart;

import org.jspecify.annotations.NullMarked;
