package io.tensorfabric.diagnostics;

import io.tensorfabric.connection.AddressFamily;
import io.tensorfabric.connection.FabricDevice;
import io.tensorfabric.connection.FabricDeviceException;
import io.tensorfabric.diagnostics.PreflightStep.Outcome;
import io.tensorfabric.memory.cuda.GpuMemory;
import io.tensorfabric.topology.RdmaCard;
import io.tensorfabric.topology.Sysfs;
import io.tensorfabric.topology.Topology;
import io.tensorfabric.topology.TopologyCheck;
import io.tensorfabric.verbs.PortAttributes;
import io.tensorfabric.verbs.PortState;
import io.tensorfabric.verbs.VerbsException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Function;

/** Looks at this host: device, port, address, limits, GPUs, network settings. Used once, by one thread. */
final class EnvironmentChecks {

    private final PreflightSubject subject;

    private final FabricDevice device;

    private final Sysfs sysfs;

    private final List<PreflightStep> steps = new ArrayList<>();

    EnvironmentChecks(PreflightSubject subject) {
        this.subject = subject;
        this.device = subject.connections().device();
        this.sysfs = subject.sysfs();
    }

    List<PreflightStep> run() {
        check("device", this::device);
        check("address", name -> PathChecks.address(name, device.path(AddressFamily.ANY)));
        check("port MTU", name -> PathChecks.mtu(name, device.path(AddressFamily.ANY), sysfs));
        HostLimits limits = new HostLimits(sysfs, subject.proc());
        check(
                "locked memory",
                name -> limits.lockedMemory(
                        name, isHardware(), subject.pool().options().maxBytes()));
        check("huge pages", limits::hugePages);
        check("GPU path", this::gpuPath);
        check("BAR1", this::bar1);
        int trafficClass = subject.connections().options().link().trafficClass();
        check(
                "flow control",
                name -> new FlowControl(sysfs, device.deviceName(), device.port(), trafficClass).check(name));
        check("topology", this::topology);
        return steps;
    }

    private void check(String name, Function<String, PreflightStep> check) {
        long begin = System.nanoTime();
        PreflightStep step;
        try {
            step = check.apply(name);
        } catch (VerbsException | FabricDeviceException e) {
            Diagnosis diagnosis = Diagnosis.of(e);
            step = new PreflightStep(name, Outcome.FAIL, diagnosis.detail(), diagnosis.remedy(), 0);
        }
        steps.add(step.took(System.nanoTime() - begin));
    }

    /** Whether the kernel knows the device, which it does not of the software device. */
    private boolean isHardware() {
        return sysfs.exists("class/infiniband/" + device.deviceName());
    }

    private PreflightStep device(String name) {
        String failure = device.failure();
        if (failure != null) {
            return PreflightStep.of(name, Outcome.FAIL, failure, Symptom.DEVICE_FAILED);
        }
        PortAttributes port = device.portAttributes();
        String detail = device.deviceName() + " of provider " + device.providerName() + ", firmware "
                + device.attributes().firmwareVersion() + ", port " + device.port() + " is " + port.state();
        return port.state() == PortState.ACTIVE
                ? PreflightStep.of(name, Outcome.OK, detail)
                : PreflightStep.of(name, Outcome.FAIL, detail, Symptom.PORT_DOWN);
    }

    private PreflightStep gpuPath(String name) {
        if (subject.gpus().isEmpty()) {
            return PreflightStep.of(name, Outcome.SKIP, "no GPU is in use: " + subject.withoutGpu());
        }
        List<String> paths = new ArrayList<>();
        boolean staged = false;
        for (GpuMemory gpu : subject.gpus()) {
            staged |= !gpu.path().isDirect();
            paths.add(gpu.kind() + " by " + gpu.path().kind() + ", since "
                    + gpu.path().reason());
        }
        paths.add("nvidia_peermem is " + (sysfs.exists("module/nvidia_peermem") ? "loaded" : "not loaded"));
        String detail = String.join("; ", paths);
        return staged
                ? PreflightStep.of(name, Outcome.WARN, detail, Symptom.GPU_STAGED)
                : PreflightStep.of(name, Outcome.OK, detail);
    }

    private PreflightStep bar1(String name) {
        List<String> sizes = new ArrayList<>();
        boolean small = false;
        for (GpuMemory gpu : subject.gpus()) {
            OptionalLong size = PciResources.bar1(sysfs, gpu.device().pciAddress());
            if (size.isPresent()) {
                sizes.add(gpu.kind() + " has " + (size.getAsLong() >> 20) + " MiB");
                small |= size.getAsLong() < gpu.pool().options().maxBytes();
            }
        }
        if (sizes.isEmpty()) {
            return PreflightStep.of(name, Outcome.SKIP, "the kernel shows none of a GPU in use");
        }
        String detail = String.join(", ", sizes);
        return small
                ? PreflightStep.of(
                        name, Outcome.WARN, detail + ", less than 'fabric.memory.gpu.max-size'", Symptom.BAR1_SMALL)
                : PreflightStep.of(name, Outcome.OK, detail);
    }

    private PreflightStep topology(String name) {
        Topology topology = Topology.read(sysfs);
        List<String> gpus =
                subject.gpus().stream().map(gpu -> gpu.device().pciAddress()).toList();
        if (topology.card(device.deviceName()).map(RdmaCard::function).isEmpty()) {
            return PreflightStep.of(name, Outcome.SKIP, device.deviceName() + " is no hardware that the kernel shows");
        }
        List<String> warnings = TopologyCheck.warnings(topology, device.deviceName(), gpus);
        int node = topology.card(device.deviceName()).orElseThrow().numaNode();
        return warnings.isEmpty()
                ? PreflightStep.of(name, Outcome.OK, node < 0 ? "no NUMA node is told" : "NUMA node " + node)
                : new PreflightStep(
                        name, Outcome.WARN, String.join(" ", warnings), "See /actuator/fabric/topology.", 0);
    }
}
