/**
 * Connections between nodes: negotiated over REST, made of one control lane and bulk lanes (queue pairs), watched by
 * completion pollers and heartbeats.
 */
@NullMarked
package io.tensorfabric.connection;

import org.jspecify.annotations.NullMarked;
