/** Holds the pages of the documentation to what the code does. */
@NullMarked
package io.tensorfabric.service.docs;

import org.jspecify.annotations.NullMarked;
