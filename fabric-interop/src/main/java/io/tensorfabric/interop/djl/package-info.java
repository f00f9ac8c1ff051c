/** Arrays of the Deep Java Library. */
@NullMarked
package io.tensorfabric.interop.djl;

import org.jspecify.annotations.NullMarked;
