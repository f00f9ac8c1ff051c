package io.tensorfabric.verbs.soft;

import io.tensorfabric.memory.MemoryProvider;
import io.tensorfabric.memory.SharedHostMemoryProvider;

/** The same when the bytes of the sender lie in memory that the receiver copies from by itself. */
class SoftSharedMemoryContractTest extends SoftVerbsContractTest {

    @Override
    protected MemoryProvider newMemory() {
        return new SharedHostMemoryProvider();
    }

    @Override
    protected int closingRounds() {
        return 100;
    }
}
