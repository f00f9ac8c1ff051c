/** Faults under load: three processes that push to each other while a driver disturbs them and checks what they promise. */
@NullMarked
package io.tensorfabric.bench.chaos;

import org.jspecify.annotations.NullMarked;
