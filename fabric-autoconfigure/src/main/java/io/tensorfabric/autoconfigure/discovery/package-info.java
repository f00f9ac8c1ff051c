/** Who the peers are: those of the properties, and those that the DNS and registries know. */
@NullMarked
package io.tensorfabric.autoconfigure.discovery;

import org.jspecify.annotations.NullMarked;
