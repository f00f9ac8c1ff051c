/** The page at {@code /fabric}: what the endpoints of Actuator know, drawn. */
@NullMarked
package io.tensorfabric.service.dashboard;

import org.jspecify.annotations.NullMarked;
