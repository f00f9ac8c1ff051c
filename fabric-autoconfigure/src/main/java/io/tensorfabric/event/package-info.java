/** Events of the fabric, for Spring's event listeners. */
@NullMarked
package io.tensorfabric.event;

import org.jspecify.annotations.NullMarked;
