/** The negotiation beside Spring Security. */
@NullMarked
package io.tensorfabric.autoconfigure.security;

import org.jspecify.annotations.NullMarked;
