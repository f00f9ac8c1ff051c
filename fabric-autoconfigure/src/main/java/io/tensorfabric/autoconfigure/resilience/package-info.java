/** Circuit breakers, retries, bulkheads and rate limiters of peers, and their meters. */
@NullMarked
package io.tensorfabric.autoconfigure.resilience;

import org.jspecify.annotations.NullMarked;
