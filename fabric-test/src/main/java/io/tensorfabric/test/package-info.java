/** For tests of applications: peers in the same process on software devices, and assertions. */
@NullMarked
package io.tensorfabric.test;

import org.jspecify.annotations.NullMarked;
