/** What Actuator's info endpoint says about the fabric. */
@NullMarked
package io.tensorfabric.autoconfigure.info;

import org.jspecify.annotations.NullMarked;
