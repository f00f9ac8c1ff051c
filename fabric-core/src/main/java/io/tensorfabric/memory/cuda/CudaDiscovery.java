package io.tensorfabric.memory.cuda;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdevice_attribute;
import jcuda.driver.CUuuid;
import jcuda.driver.JCudaDriver;
import org.jspecify.annotations.Nullable;

/** Asks the driver which GPUs it shows to this process. */
final class CudaDiscovery {

    private static final int FLUSH_BY_HOST = 1;

    private static final int ORDERED_FOR_OWNER = 100;

    private CudaDiscovery() {}

    /**
     * Initialises the driver.
     *
     * @return why there is no GPU, {@code null} if there is one
     */
    static @Nullable String initialize() {
        int code = CudaDriver.code(() -> JCudaDriver.cuInit(0));
        if (code == CudaError.SUCCESS) {
            return null;
        }
        if (code == CudaError.NO_DEVICE) {
            String visible = System.getenv("CUDA_VISIBLE_DEVICES");
            return visible == null
                    ? "the CUDA driver shows no GPU"
                    : "no GPU is visible, since CUDA_VISIBLE_DEVICES is '" + visible + "'";
        }
        return String.valueOf(
                CudaDriver.failure("cuInit", code, "the CUDA driver").getMessage());
    }

    static List<CudaDevice> devices() {
        int[] count = new int[1];
        CudaDriver.check("cuDeviceGetCount", "the CUDA driver", () -> JCudaDriver.cuDeviceGetCount(count));
        List<CudaDevice> devices = new ArrayList<>();
        for (int ordinal = 0; ordinal < count[0]; ordinal++) {
            devices.add(describe(ordinal));
        }
        return List.copyOf(devices);
    }

    private static CudaDevice describe(int ordinal) {
        CUdevice device = CudaDriver.device(ordinal);
        String detail = "GPU " + ordinal;
        byte[] name = new byte[256];
        CudaDriver.check("cuDeviceGetName", detail, () -> JCudaDriver.cuDeviceGetName(name, name.length, device));
        long[] memory = new long[1];
        CudaDriver.check("cuDeviceTotalMem", detail, () -> JCudaDriver.cuDeviceTotalMem(memory, device));
        String[] address = new String[1];
        CudaDriver.check("cuDeviceGetPCIBusId", detail, () -> JCudaDriver.cuDeviceGetPCIBusId(address, 32, device));
        String text = text(name);
        return new CudaDevice(
                ordinal,
                text,
                uuid(device, detail, text.contains(" MIG ")),
                address[0].trim().toLowerCase(Locale.ROOT),
                CudaDriver.attribute(device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, ordinal),
                CudaDriver.attribute(device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, ordinal),
                memory[0],
                direct(device));
    }

    private static CudaDevice.DirectAttributes direct(CUdevice device) {
        int flush = CudaDriver.optionalAttribute(
                device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS);
        int ordering = CudaDriver.optionalAttribute(
                device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING);
        return new CudaDevice.DirectAttributes(
                has(device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_SUPPORTED),
                has(device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED),
                has(device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED),
                (flush & FLUSH_BY_HOST) != 0,
                ordering >= ORDERED_FOR_OWNER);
    }

    private static boolean has(CUdevice device, int attribute) {
        return CudaDriver.optionalAttribute(device, attribute) != 0;
    }

    private static String text(byte[] name) {
        int length = 0;
        while (length < name.length && name[length] != 0) {
            length++;
        }
        return new String(name, 0, length, StandardCharsets.UTF_8);
    }

    private static String uuid(CUdevice device, String detail, boolean mig) {
        CUuuid uuid = new CUuuid();
        CudaDriver.check("cuDeviceGetUuid", detail, () -> JCudaDriver.cuDeviceGetUuid(uuid, device));
        String hex = HexFormat.of().formatHex(uuid.bytes);
        return (mig ? "MIG-" : "GPU-") + hex.substring(0, 8) + "-" + hex.substring(8, 12) + "-" + hex.substring(12, 16)
                + "-" + hex.substring(16, 20) + "-" + hex.substring(20);
    }
}
