/** The same bytes between the same two processes, by pushes and by other ways of Java. */
@NullMarked
package io.tensorfabric.bench.peers;

import org.jspecify.annotations.NullMarked;
