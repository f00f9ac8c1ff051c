/** Health of the fabric: of this node alone, never of its peers. */
@NullMarked
package io.tensorfabric.autoconfigure.health;

import org.jspecify.annotations.NullMarked;
