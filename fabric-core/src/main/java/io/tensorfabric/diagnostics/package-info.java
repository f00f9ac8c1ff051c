/** What can go wrong, why, and what to do: the fault table and the checks that find the cause of a fault. */
@NullMarked
package io.tensorfabric.diagnostics;

import org.jspecify.annotations.NullMarked;
