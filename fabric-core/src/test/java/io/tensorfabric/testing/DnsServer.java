package io.tensorfabric.testing;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** A DNS server on loopback, over UDP, whose answers a test changes. Names are without the final dot. Thread-safe. */
public final class DnsServer implements AutoCloseable {

    private static final int TYPE_A = 1;
    private static final int TYPE_AAAA = 28;
    private static final int TYPE_SRV = 33;
    private static final int CLASS_IN = 1;
    private static final int RESPONSE = 0x8580;
    private static final int SERVER_FAILURE = 2;
    private static final int NAME_ERROR = 3;
    /** A pointer to the question's name, which follows the header. */
    private static final int QUESTION_NAME = 0xC00C;

    private static final int MAX_MESSAGE = 1500;
    private static final int HEADER = 12;

    private final DatagramSocket socket;
    private final Map<String, List<InetAddress>> addresses = new ConcurrentHashMap<>();
    private final Map<String, List<String>> services = new ConcurrentHashMap<>();
    private volatile boolean broken;
    private volatile boolean silent;

    /** Starts on a free port. */
    public DnsServer() throws IOException {
        socket = new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        Thread thread = new Thread(this::serve, "test-dns");
        thread.setDaemon(true);
        thread.start();
    }

    /** Where it listens, as {@code host:port}. */
    public String address() {
        return "127.0.0.1:" + socket.getLocalPort();
    }

    /** Sets the addresses of a name; without any the name does not exist. */
    public void setAddresses(String name, String... literals) {
        addresses.put(name, Arrays.stream(literals).map(DnsServer::literal).toList());
    }

    /** Sets the SRV records of a name, each as {@code target:port}. */
    public void setServices(String name, String... targets) {
        services.put(name, List.of(targets));
    }

    /** Whether it answers that it failed. */
    public void setBroken(boolean value) {
        broken = value;
    }

    /** Whether it does not answer at all. */
    public void setSilent(boolean value) {
        silent = value;
    }

    private static InetAddress literal(String text) {
        try {
            return InetAddress.getByName(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void serve() {
        byte[] buffer = new byte[MAX_MESSAGE];
        try {
            while (!socket.isClosed()) {
                DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
                socket.receive(packet);
                if (!silent) {
                    byte[] answer = answer(ByteBuffer.wrap(buffer, 0, packet.getLength()));
                    socket.send(new DatagramPacket(answer, answer.length, packet.getSocketAddress()));
                }
            }
        } catch (IOException e) {
            if (!socket.isClosed()) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private byte[] answer(ByteBuffer query) throws IOException {
        int id = query.getShort();
        query.position(HEADER);
        String name = readName(query);
        int type = query.getShort();
        byte[] question = Arrays.copyOfRange(query.array(), HEADER, HEADER + name.length() + 2 + 4);
        List<InetAddress> ofName = addresses.getOrDefault(name, List.of());
        List<String> targets = services.getOrDefault(name, List.of());
        ByteArrayOutputStream records = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(records);
        int count = 0;
        for (InetAddress address : ofName) {
            if (type == (address.getAddress().length == 4 ? TYPE_A : TYPE_AAAA)) {
                writeRecord(out, type, address.getAddress());
                count++;
            }
        }
        if (type == TYPE_SRV) {
            for (String target : targets) {
                writeRecord(out, type, serviceRecord(target));
                count++;
            }
        }
        int code = broken ? SERVER_FAILURE : ofName.isEmpty() && targets.isEmpty() ? NAME_ERROR : 0;
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        DataOutputStream head = new DataOutputStream(whole);
        for (int field : new int[] {id, RESPONSE | code, 1, code == 0 ? count : 0, 0, 0}) {
            head.writeShort(field);
        }
        head.write(question);
        if (code == 0) {
            head.write(records.toByteArray());
        }
        return whole.toByteArray();
    }

    private static void writeRecord(DataOutputStream out, int type, byte[] data) throws IOException {
        out.writeShort(QUESTION_NAME);
        out.writeShort(type);
        out.writeShort(CLASS_IN);
        out.writeInt(60);
        out.writeShort(data.length);
        out.write(data);
    }

    private static byte[] serviceRecord(String target) throws IOException {
        int colon = target.lastIndexOf(':');
        ByteArrayOutputStream data = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(data);
        out.writeShort(0);
        out.writeShort(1);
        out.writeShort(Integer.parseInt(target.substring(colon + 1)));
        for (String label : target.substring(0, colon).split("\\.")) {
            out.writeByte(label.length());
            out.write(label.getBytes(StandardCharsets.US_ASCII));
        }
        out.writeByte(0);
        return data.toByteArray();
    }

    private static String readName(ByteBuffer query) {
        StringBuilder name = new StringBuilder();
        for (int length = query.get(); length > 0; length = query.get()) {
            byte[] label = new byte[length];
            query.get(label);
            name.append(name.isEmpty() ? "" : ".").append(new String(label, StandardCharsets.US_ASCII));
        }
        return name.toString();
    }

    @Override
    public void close() {
        socket.close();
    }
}
