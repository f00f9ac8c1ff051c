package io.tensorfabric.verbs.ibverbs;

import io.tensorfabric.verbs.VerbsContext;
import io.tensorfabric.verbs.VerbsContractTest;
import io.tensorfabric.verbs.VerbsDevice;
import java.util.List;
import org.junit.jupiter.api.condition.EnabledIf;

/**
 * The contract on the machine's first two RDMA devices (or the only one twice), such as rxe0 and rxe1 of the Soft-RoCE
 * guest. What is overridden is how rxe of kernel 6.1 differs where the verbs specification leaves it open.
 */
@EnabledIf(
        value = "io.tensorfabric.verbs.ibverbs.GuestDevices#present",
        disabledReason = "this machine has no RDMA device; ./dev roce runs it in a guest that has two")
class IbverbsVerbsContractTest extends VerbsContractTest {

    private final List<VerbsDevice> devices = GuestDevices.all();

    @Override
    protected VerbsContext openLeft() {
        return devices.get(0).open();
    }

    @Override
    protected VerbsContext openRight() {
        return devices.get(devices.size() - 1).open();
    }

    @Override
    protected boolean enforcesWindowRange() {
        return false;
    }

    @Override
    protected boolean localAndRemoteKeysDiffer() {
        return false;
    }

    @Override
    protected boolean flushesReceivesPostedInError() {
        return false;
    }

    @Override
    protected boolean failsLocallyBehindOthers() {
        return false;
    }

    @Override
    protected boolean stopsWritesInError() {
        return false;
    }

    @Override
    protected boolean reachesItself() {
        return devices.size() == 1;
    }

    @Override
    protected boolean reportsLastWorkRequest() {
        return false;
    }

    @Override
    protected boolean flagsInvalidation() {
        return false;
    }

    @Override
    protected boolean supportsUnreliableDatagram() {
        return true;
    }

    /** The guest's system calls are slow. */
    @Override
    protected int closingRounds() {
        return 100;
    }
}
