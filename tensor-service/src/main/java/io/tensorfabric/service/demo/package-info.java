/** The client of the demo: drives two services and compares what arrived. */
@NullMarked
package io.tensorfabric.service.demo;

import org.jspecify.annotations.NullMarked;
