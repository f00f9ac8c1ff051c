/** Peers in containers, by Testcontainers, which applications add themselves. */
@NullMarked
package io.tensorfabric.test.container;

import org.jspecify.annotations.NullMarked;
