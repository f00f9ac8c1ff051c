/** Auto-configuration of the fabric: its properties, its beans, and their life within the application's. */
@NullMarked
package io.tensorfabric.autoconfigure;

import org.jspecify.annotations.NullMarked;
