package io.tensorfabric.autoconfigure;

import io.tensorfabric.memory.cuda.GpuRegistration;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.convert.DurationUnit;

/**
 * GPUs, if JCuda and a CUDA driver are there.
 *
 * @param enabled Whether to look for GPUs.
 * @param devices Numbers of the GPUs to use, among those that CUDA_VISIBLE_DEVICES leaves. Without it all of them.
 * @param registration How GPU memory is registered with the device: "dmabuf", "peermem", "staging" through pinned host
 *     memory, or "auto" for the first of these that works.
 * @param direct Whether a direct path between GPU and device is "required", so that the start fails without one, "auto"
 *     for staging without one, or "off" for staging in any case.
 * @param ipc Whether GPUs of services on one host copy to each other by CUDA IPC, "auto" for where that works, or "off".
 * @param maxRegistrations Most buffers of the application in GPU memory that stay registered at once.
 * @param copyTimeout Longest time that a copy between host and GPU may take.
 */
public record GpuProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue List<Integer> devices,
        @DefaultValue("auto") GpuRegistration registration,
        @DefaultValue("auto") Direct direct,
        @DefaultValue("auto") Ipc ipc,
        @DefaultValue("256") int maxRegistrations,

        @DefaultValue("30s") @DurationUnit(ChronoUnit.SECONDS)
        Duration copyTimeout) {

    public GpuProperties {
        devices = List.copyOf(devices);
        devices.forEach(device -> PropertyChecks.range("fabric.gpu.devices", device, 0, 1023));
        PropertyChecks.range("fabric.gpu.max-registrations", maxRegistrations, 1, 1 << 20);
        PropertyChecks.positive("fabric.gpu.copy-timeout", copyTimeout);
    }

    /** Whether there must be a direct path. */
    public enum Direct {
        /** When there is one. */
        AUTO,
        /** The start fails without one. */
        REQUIRED,
        /** Never: as registration "staging". */
        OFF
    }

    /** Whether CUDA IPC is used. */
    public enum Ipc {
        /** Where it works. */
        AUTO,
        /** Never. */
        OFF
    }

    /** The registration that both properties ask for. */
    GpuRegistration effectiveRegistration() {
        return direct == Direct.OFF ? GpuRegistration.STAGING : registration;
    }
}
