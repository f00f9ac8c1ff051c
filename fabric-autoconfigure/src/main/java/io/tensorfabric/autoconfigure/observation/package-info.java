/** Auto-configuration of observations. */
@NullMarked
package io.tensorfabric.autoconfigure.observation;

import org.jspecify.annotations.NullMarked;
