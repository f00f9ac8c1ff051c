/** The machine as the kernel shows it in sysfs: ports and their counters, PCIe, NUMA, and how near cards and GPUs are. */
@NullMarked
package io.tensorfabric.topology;

import org.jspecify.annotations.NullMarked;
