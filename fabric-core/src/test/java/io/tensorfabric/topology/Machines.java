package io.tensorfabric.topology;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;

/** Machines of several shapes, written down as the kernel shows them. */
public final class Machines {

    private final SysfsTree tree;

    private Machines(Path root) {
        this.tree = new SysfsTree(root);
    }

    SysfsTree tree() {
        return tree;
    }

    Topology topology() {
        return Topology.read(tree.sysfs());
    }

    private void nodes(int count) {
        for (int node = 0; node < count; node++) {
            tree.file("devices/system/node/node" + node + "/cpulist", node * 4 + "-" + (node * 4 + 3));
        }
        tree.file("devices/system/node/online", "0-" + (count - 1));
    }

    private String function(String parent, String address, String vendor, String pciClass, int node) {
        String folder = parent + "/" + address;
        tree.file(folder + "/vendor", vendor)
                .file(folder + "/class", pciClass)
                .file(folder + "/numa_node", node)
                .link("bus/pci/devices/" + address, folder);
        return folder;
    }

    private String bridge(String parent, String address, int node) {
        String folder = function(parent, address, "0x1000", "0x060400", node);
        tree.bytes(folder + "/config", config(0));
        return folder;
    }

    private void link(String folder, String speed, String maxSpeed, int width, int maxWidth) {
        tree.file(folder + "/current_link_speed", speed)
                .file(folder + "/max_link_speed", maxSpeed)
                .file(folder + "/current_link_width", width)
                .file(folder + "/max_link_width", maxWidth);
    }

    private String gpu(String parent, String address, int node) {
        String folder = function(parent, address, "0x10de", "0x030200", node);
        link(folder, "2.5 GT/s PCIe", "32.0 GT/s PCIe", 16, 16);
        return folder;
    }

    private String card(String parent, String address, String name, int node) {
        String folder = function(parent, address, "0x15b3", "0x020000", node);
        link(folder, "32.0 GT/s PCIe", "32.0 GT/s PCIe", 16, 16);
        tree.link("class/infiniband/" + name + "/device", folder).file(folder + "/net/eth-" + name + "/mtu", 4200);
        return folder;
    }

    /** Configuration space whose second extended capability is ACS with this control register. */
    static byte[] config(int control) {
        ByteBuffer config = ByteBuffer.allocate(4096).order(ByteOrder.LITTLE_ENDIAN);
        config.putInt(0x100, 0x0001 | 1 << 16 | 0x148 << 20);
        config.putInt(0x148, 0x000d | 1 << 16);
        config.putShort(0x14e, (short) control);
        return config.array();
    }

    /**
     * Two sockets with a tree of switches each: two GPUs and a card at one switch, and at a second one behind it another
     * pair.
     */
    public static Machines dgx(Path root) {
        Machines machine = new Machines(root);
        machine.nodes(2);
        for (int node = 0; node < 2; node++) {
            String host = "devices/pci0000:" + node + "0";
            String port = machine.bridge(host, "0000:" + node + "0:01.0", node);
            String up = machine.bridge(port, "0000:" + node + "1:00.0", node);
            for (int slot = 0; slot < 2; slot++) {
                String down = machine.bridge(up, "0000:" + node + "2:0" + slot + ".0", node);
                machine.gpu(down, "0000:" + node + (3 + slot) + ":00.0", node);
            }
            String down = machine.bridge(up, "0000:" + node + "2:02.0", node);
            machine.card(down, "0000:" + node + "5:00.0", "mlx5_" + node * 2, node);
            String cascade = machine.bridge(up, "0000:" + node + "2:03.0", node);
            String second = machine.bridge(cascade, "0000:" + node + "6:00.0", node);
            machine.gpu(machine.bridge(second, "0000:" + node + "7:00.0", node), "0000:" + node + "8:00.0", node);
            machine.card(
                    machine.bridge(second, "0000:" + node + "7:01.0", node),
                    "0000:" + node + "9:00.0",
                    "mlx5_" + (node * 2 + 1),
                    node);
        }
        return machine;
    }

    /** Two sockets without switches: a card on the first, a GPU at another host bridge of it, and a GPU on the second. */
    public static Machines crossRoot(Path root) {
        Machines machine = new Machines(root);
        machine.nodes(2);
        String card =
                machine.card(machine.bridge("devices/pci0000:00", "0000:00:01.0", 0), "0000:01:00.0", "mlx5_0", 0);
        machine.link(card, "8.0 GT/s PCIe", "16.0 GT/s PCIe", 8, 16);
        machine.tree.file(card + "/iommu_group/type", "DMA-FQ");
        machine.gpu(machine.bridge("devices/pci0000:40", "0000:40:01.0", 0), "0000:41:00.0", 0);
        machine.gpu(machine.bridge("devices/pci0000:80", "0000:80:01.0", 1), "0000:81:00.0", 1);
        return machine;
    }

    /** A virtual machine: everything at one host bridge, and no NUMA nodes told. */
    public static Machines virtual(Path root) {
        Machines machine = new Machines(root);
        machine.nodes(1);
        machine.function("devices/pci0000:00", "0000:00:02.0", "0x1234", "0x030000", -1);
        machine.gpu("devices/pci0000:00", "0000:00:05.0", -1);
        machine.card("devices/pci0000:00", "0000:00:06.0", "mlx5_0", -1);
        return machine;
    }

    /** No GPU; a card of two ports, and a Soft-RoCE device, which is no hardware. */
    public static Machines withoutGpu(Path root) {
        Machines machine = new Machines(root);
        machine.nodes(1);
        String port = machine.bridge("devices/pci0000:00", "0000:00:01.0", 0);
        machine.card(port, "0000:01:00.0", "mlx5_0", 0);
        machine.card(port, "0000:01:00.1", "mlx5_1", 0);
        machine.tree.file("class/infiniband/rxe0/node_type", "1: CA");
        return machine;
    }

    /** A GPU and a card at one switch of the second socket, all as fast as it can be. */
    public static Machines near(Path root, String gpu, String card) {
        Machines machine = new Machines(root);
        machine.nodes(2);
        String up = machine.bridge(machine.bridge("devices/pci0000:80", "0000:80:01.0", 1), "0000:82:00.0", 1);
        machine.gpu(machine.bridge(up, "0000:83:00.0", 1), gpu, 1);
        machine.card(machine.bridge(up, "0000:83:01.0", 1), "0000:84:00.0", card, 1);
        return machine;
    }

    /** Lets the kernel know a card by another name, such as that of the software device. */
    public Machines asDevice(String name, String card) {
        tree.rename("class/infiniband/" + card, "class/infiniband/" + name);
        return this;
    }

    /** What the file {@code resource} of a function holds. */
    public Machines window(String address, String resource) {
        tree.file("bus/pci/devices/" + address + "/resource", resource);
        return this;
    }

    /** A counter of the first port of a card, by its file below {@code ports/1}. */
    public Machines counter(String card, String file, long value) {
        tree.counter(card, file, value);
        return this;
    }

    /** A box with one switch, whose ports redirect peer-to-peer requests. */
    public static Machines redirecting(Path root) {
        Machines machine = new Machines(root);
        machine.nodes(1);
        String up = machine.bridge(machine.bridge("devices/pci0000:00", "0000:00:01.0", 0), "0000:01:00.0", 0);
        String one = machine.bridge(up, "0000:02:00.0", 0);
        String other = machine.bridge(up, "0000:02:01.0", 0);
        machine.tree.bytes(one + "/config", config(0x1d)).bytes(other + "/config", config(0x01));
        machine.gpu(one, "0000:03:00.0", 0);
        machine.card(other, "0000:04:00.0", "mlx5_0", 0);
        return machine;
    }
}
