/** What the verbs shim costs above a driver. */
@NullMarked
package io.tensorfabric.bench.jni;

import org.jspecify.annotations.NullMarked;
