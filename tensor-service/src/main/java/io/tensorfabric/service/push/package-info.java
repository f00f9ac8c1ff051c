/** REST calls that push tensors to peers, and the jobs behind them. */
@NullMarked
package io.tensorfabric.service.push;

import org.jspecify.annotations.NullMarked;
