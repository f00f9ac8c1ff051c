package io.tensorfabric.verbs;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.regex.Pattern;

/** A 128-bit global identifier: the IPv6 (or IPv4-mapped) address of a port. Immutable. */
public final class Gid {

    /** Length in bytes. */
    public static final int LENGTH = 16;

    private static final Pattern TEXT = Pattern.compile("(?:[0-9a-fA-F]{4}:){7}[0-9a-fA-F]{4}|[0-9a-fA-F]{32}");

    private final byte[] bytes;

    private Gid(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * A GID of 16 bytes in network order.
     *
     * @throws IllegalArgumentException if there are not 16
     */
    public static Gid of(byte[] bytes) {
        if (bytes.length != LENGTH) {
            throw new IllegalArgumentException("A GID has 16 bytes, not " + bytes.length);
        }
        return new Gid(bytes.clone());
    }

    /** The GID that RoCE v2 gives to an address: IPv6 as it is, IPv4 mapped to {@code ::ffff:a.b.c.d} (RFC 4291). */
    public static Gid of(InetAddress address) {
        byte[] raw = address.getAddress();
        if (raw.length == LENGTH) {
            return new Gid(raw);
        }
        byte[] mapped = new byte[LENGTH];
        mapped[10] = (byte) 0xff;
        mapped[11] = (byte) 0xff;
        System.arraycopy(raw, 0, mapped, 12, 4);
        return new Gid(mapped);
    }

    /**
     * Reads 32 hexadecimal digits, with or without colons between groups of four.
     *
     * @throws IllegalArgumentException if the text is not of that form
     */
    public static Gid parse(String text) {
        if (!TEXT.matcher(text).matches()) {
            throw new IllegalArgumentException("A GID is written with 32 hexadecimal digits, with colons between"
                    + " groups of four or without: " + text);
        }
        return new Gid(HexFormat.of().parseHex(text.replace(":", "")));
    }

    /** The 16 bytes in network order, a copy. */
    public byte[] toBytes() {
        return bytes.clone();
    }

    /** Whether all bytes are zero: an unused table entry. */
    public boolean isZero() {
        for (byte b : bytes) {
            if (b != 0) {
                return false;
            }
        }
        return true;
    }

    /** Whether this is {@code ::ffff:a.b.c.d}. */
    public boolean isIpv4Mapped() {
        for (int i = 0; i < 10; i++) {
            if (bytes[i] != 0) {
                return false;
            }
        }
        return bytes[10] == (byte) 0xff && bytes[11] == (byte) 0xff;
    }

    /** Whether this is of {@code fe80::/10} and so not routable. */
    public boolean isLinkLocal() {
        return bytes[0] == (byte) 0xfe && (bytes[1] & 0xc0) == 0x80;
    }

    /** The address of this GID: IPv4 when mapped, else IPv6. */
    public InetAddress toAddress() {
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException ex) {
            throw new IllegalStateException("16 bytes are always an address", ex);
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Gid gid && Arrays.equals(bytes, gid.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /** Eight groups of four hexadecimal digits, as sysfs prints it; {@link #parse(String)} reads it back. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(39);
        for (int i = 0; i < LENGTH; i += 2) {
            if (i > 0) {
                text.append(':');
            }
            text.append(HexFormat.of().toHexDigits(bytes[i]))
                    .append(HexFormat.of().toHexDigits(bytes[i + 1]));
        }
        return text.toString();
    }
}
