/** The reference microservice: keeps tensors in registered memory and pushes them to peers over REST calls. */
@NullMarked
package io.tensorfabric.service;

import org.jspecify.annotations.NullMarked;
