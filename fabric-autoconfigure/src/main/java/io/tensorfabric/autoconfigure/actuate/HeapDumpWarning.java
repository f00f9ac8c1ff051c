package io.tensorfabric.autoconfigure.actuate;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;

/** Warns when the heapdump endpoint, which is off unless somebody switches it on, would give the shared secret away. */
final class HeapDumpWarning implements SmartInitializingSingleton {

    static final String TEXT = "The heapdump endpoint is available: whoever may call it gets"
            + " 'fabric.security.shared-secret', remote keys and tensors out of the heap. Leave"
            + " 'management.endpoint.heapdump.access' at none, or let administrators alone call it";

    private static final Logger logger = LoggerFactory.getLogger(HeapDumpWarning.class);

    @Override
    public void afterSingletonsInstantiated() {
        logger.warn("{}", TEXT);
    }
}
