package io.tensorfabric.autoconfigure.listener;

import io.tensorfabric.transfer.Acknowledgment;
import io.tensorfabric.transfer.ReceivedTensor;
import org.jspecify.annotations.Nullable;

/** Makes the argument for one parameter. Thread-safe. */
@FunctionalInterface
interface ListenerArgument {

    @Nullable Object resolve(ReceivedTensor tensor, Acknowledgment acknowledgment) throws Exception;
}
