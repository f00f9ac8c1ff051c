package io.tensorfabric.verbs.soft;

import io.tensorfabric.verbs.ContractLimits;
import io.tensorfabric.verbs.VerbsContext;
import io.tensorfabric.verbs.VerbsContractTest;
import io.tensorfabric.verbs.VerbsDevice;
import java.util.List;
import java.util.Optional;

/** Runs the contract between two software devices. */
class SoftVerbsContractTest extends VerbsContractTest {

    private final List<VerbsDevice> devices = new SoftVerbsProvider(List.of(
                    SoftDeviceOptions.defaults().withName("left"),
                    SoftDeviceOptions.defaults().withName("right")))
            .devices();

    @Override
    protected VerbsContext openLeft() {
        return devices.get(0).open();
    }

    @Override
    protected VerbsContext openRight() {
        return devices.get(1).open();
    }

    @Override
    protected Optional<VerbsContext> openWithLimits(ContractLimits limits) {
        SoftDeviceOptions options = SoftDeviceOptions.builder()
                .maxQueuePairs(limits.queuePairs())
                .maxCompletionQueues(limits.completionQueues())
                .maxMemoryRegions(limits.memoryRegions())
                .maxProtectionDomains(limits.protectionDomains())
                .build();
        return Optional.of(new SoftVerbsProvider(options).devices().get(0).open());
    }
}
