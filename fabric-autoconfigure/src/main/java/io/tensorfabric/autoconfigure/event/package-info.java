/** Auto-configuration of events. */
@NullMarked
package io.tensorfabric.autoconfigure.event;

import org.jspecify.annotations.NullMarked;
