package io.tensorfabric.autoconfigure.e2e;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sits on the wire before a node: passes all on, and keeps each call as it went by. */
final class Eavesdropper implements AutoCloseable {

    private static final byte[] END_OF_HEAD = "\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private static final Pattern LENGTH = Pattern.compile("(?i)\r\ncontent-length: *([0-9]+)");

    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));

    private final int target;

    private final List<ByteArrayOutputStream> heard = new CopyOnWriteArrayList<>();

    private final List<Socket> sockets = new CopyOnWriteArrayList<>();

    Eavesdropper(int target) throws IOException {
        this.target = target;
        start(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "eavesdropper");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                Socket caller = listener.accept();
                Socket node = new Socket("127.0.0.1", target);
                sockets.addAll(List.of(caller, node));
                ByteArrayOutputStream kept = new ByteArrayOutputStream();
                heard.add(kept);
                start(() -> pass(caller, node, kept));
                start(() -> pass(node, caller, new ByteArrayOutputStream()));
            }
        } catch (IOException closed) {
            // The test is over.
        }
    }

    private static void pass(Socket from, Socket to, ByteArrayOutputStream kept) {
        byte[] buffer = new byte[8192];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                kept.write(buffer, 0, count);
                out.write(buffer, 0, count);
            }
        } catch (IOException ended) {
            // One end has closed.
        }
    }

    /** The calls so far, each with its head and body. */
    List<byte[]> calls() {
        List<byte[]> calls = new ArrayList<>();
        for (ByteArrayOutputStream each : heard) {
            byte[] rest = each.toByteArray();
            int length = lengthOfFirst(rest);
            while (length > 0) {
                calls.add(Arrays.copyOf(rest, length));
                rest = Arrays.copyOfRange(rest, length, rest.length);
                length = lengthOfFirst(rest);
            }
        }
        return calls;
    }

    private static int lengthOfFirst(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        int end = text.indexOf(new String(END_OF_HEAD, StandardCharsets.US_ASCII));
        if (end < 0) {
            return 0;
        }
        Matcher length = LENGTH.matcher(text.substring(0, end));
        int all = end + END_OF_HEAD.length + (length.find() ? Integer.parseInt(length.group(1)) : 0);
        return all <= bytes.length ? all : 0;
    }

    /** Sends bytes to a node and returns the status of the answer. */
    static int send(int port, byte[] call) throws IOException {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            socket.setSoTimeout(10_000);
            socket.getOutputStream().write(call);
            byte[] start = socket.getInputStream().readNBytes(12);
            return Integer.parseInt(new String(start, StandardCharsets.US_ASCII).substring(9));
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
