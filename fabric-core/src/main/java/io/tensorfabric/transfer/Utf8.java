package io.tensorfabric.transfer;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/** UTF-8 in messages: written without garbage, read strictly. */
final class Utf8 {

    private Utf8() {}

    /**
     * Bytes of a text.
     *
     * @throws IllegalArgumentException if it holds half of a surrogate pair
     */
    static int length(String text) {
        int bytes = text.length();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c >= 0x80) {
                if (c < 0x800) {
                    bytes++;
                } else if (!Character.isSurrogate(c)) {
                    bytes += 2;
                } else if (isPair(text, i)) {
                    // Two characters become four bytes.
                    bytes += 2;
                    i++;
                } else {
                    throw new IllegalArgumentException("Half of a surrogate pair at index " + i);
                }
            }
        }
        return bytes;
    }

    private static boolean isPair(String text, int index) {
        return Character.isHighSurrogate(text.charAt(index))
                && index + 1 < text.length()
                && Character.isLowSurrogate(text.charAt(index + 1));
    }

    /** Appends a text that {@link #length} accepted. */
    static void put(String text, ByteBuffer target) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < 0x80) {
                target.put((byte) c);
            } else if (Character.isHighSurrogate(c)) {
                i++;
                putWide(Character.toCodePoint(c, text.charAt(i)), target);
            } else {
                putWide(c, target);
            }
        }
    }

    private static void putWide(int codePoint, ByteBuffer target) {
        if (codePoint < 0x800) {
            target.put((byte) (0xC0 | (codePoint >> 6)));
        } else {
            if (codePoint < 0x10000) {
                target.put((byte) (0xE0 | (codePoint >> 12)));
            } else {
                target.put((byte) (0xF0 | (codePoint >> 18)));
                target.put((byte) (0x80 | ((codePoint >> 12) & 0x3F)));
            }
            target.put((byte) (0x80 | ((codePoint >> 6) & 0x3F)));
        }
        target.put((byte) (0x80 | (codePoint & 0x3F)));
    }

    /**
     * Reads {@code length} bytes from the position on, which the caller knows to be there.
     *
     * @throws ProtocolViolation if they are not UTF-8
     */
    static String get(ByteBuffer source, int length, String what) {
        byte[] bytes = new byte[length];
        source.get(bytes);
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT)
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new ProtocolViolation(what + " is not UTF-8", e);
        }
    }

    /** The longest beginning of a text that {@link #put} can write in {@code maxBytes}. */
    static String truncate(String text, int maxBytes) {
        int bytes = 0;
        int i = 0;
        while (i < text.length()) {
            int codePoint = text.codePointAt(i);
            if (codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE) {
                break;
            }
            int width = codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4;
            if (bytes + width > maxBytes) {
                break;
            }
            bytes += width;
            i += Character.charCount(codePoint);
        }
        return text.substring(0, i);
    }
}
