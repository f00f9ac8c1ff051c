/** Checks of running services, for container health checks and for {@code helm test}. */
@NullMarked
package io.tensorfabric.service.check;

import org.jspecify.annotations.NullMarked;
