/**
 * The REST negotiation: a servlet that answers peers, a client that asks them, and what authenticates both. Bytes are
 * signed, so both ends handle bodies as bytes and share nothing with the application's own web configuration.
 */
@NullMarked
package io.tensorfabric.autoconfigure.negotiation;

import org.jspecify.annotations.NullMarked;
