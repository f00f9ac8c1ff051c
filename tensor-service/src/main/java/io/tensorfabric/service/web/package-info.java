/** What all REST calls share: problem details and the OpenAPI description. */
@NullMarked
package io.tensorfabric.service.web;

import org.jspecify.annotations.NullMarked;
