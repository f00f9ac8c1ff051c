/** DLPack's structures in native memory, taken and given without copies. */
@NullMarked
package io.tensorfabric.interop.dlpack;

import org.jspecify.annotations.NullMarked;
