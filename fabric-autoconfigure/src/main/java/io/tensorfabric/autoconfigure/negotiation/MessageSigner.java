package io.tensorfabric.autoconfigure.negotiation;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signs requests and answers with HMAC-SHA256 over newline-separated fields. Requests and answers begin with different
 * words, so one never passes for the other; no field can hold a newline, because each is checked or encoded before. Paths
 * are relative to the negotiation's root, so that a proxy may map them. Thread-safe.
 */
final class MessageSigner {

    private static final String ALGORITHM = "HmacSHA256";

    private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

    private static final SecureRandom RANDOM = new SecureRandom();

    private final SecretKeySpec key;

    MessageSigner(String secret) {
        this.key = new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), ALGORITHM);
    }

    /** A nonce of 128 random bits. */
    static String nonce() {
        byte[] bytes = new byte[16];
        RANDOM.nextBytes(bytes);
        return BASE64.encodeToString(bytes);
    }

    /** The signature of a request. */
    String sign(RequestSeal seal, byte[] body) {
        return sign(
                "fabric-v1 request",
                seal.method(),
                seal.path(),
                digest(body),
                Long.toString(seal.timestamp()),
                seal.nonce(),
                seal.node(),
                seal.target());
    }

    /**
     * The signature of an answer.
     *
     * @param nonce nonce of the request that it answers
     */
    String sign(String nonce, int status, String node, byte[] body) {
        return sign("fabric-v1 answer", Integer.toString(status), digest(body), nonce, node);
    }

    /** The signature of a challenge to a node. */
    String signChallenge(String node, long time) {
        return sign("fabric-v1 challenge", Long.toString(time), node);
    }

    /** Compares in constant time. */
    static boolean matches(String expected, String given) {
        return MessageDigest.isEqual(expected.getBytes(StandardCharsets.UTF_8), given.getBytes(StandardCharsets.UTF_8));
    }

    private String sign(String... fields) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            return BASE64.encodeToString(mac.doFinal(String.join("\n", fields).getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException ex) {
            throw new IllegalStateException("This Java has no " + ALGORITHM + ", which every Java must have", ex);
        }
    }

    private static String digest(byte[] body) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(body));
        } catch (GeneralSecurityException ex) {
            throw new IllegalStateException("This Java has no SHA-256, which every Java must have", ex);
        }
    }

    /**
     * What a request's signature covers beside its body.
     *
     * @param method HTTP method
     * @param path path relative to the negotiation's root
     * @param timestamp milliseconds since 1970
     * @param nonce nonce
     * @param node node id of the sender
     * @param target {@code id/incarnation} of the receiver, or one of the constants when not known yet
     */
    record RequestSeal(String method, String path, long timestamp, String nonce, String node, String target) {

        /** Stands for a target that the sender does not know yet; {@code GET node} answers it with a challenge. */
        static final String ANY_TARGET = "-";

        /** Stands before a challenge of the target; no node id begins so. Only {@code GET node} accepts it. */
        static final String CHALLENGED_TARGET = "?";
    }
}
