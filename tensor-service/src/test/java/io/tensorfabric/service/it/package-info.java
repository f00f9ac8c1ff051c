/** Two real processes of the packaged service. */
@NullMarked
package io.tensorfabric.service.it;

import org.jspecify.annotations.NullMarked;
