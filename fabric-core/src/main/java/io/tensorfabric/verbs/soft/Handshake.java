package io.tensorfabric.verbs.soft;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The messages by which both ends of a new connection prove that they know both queue pairs' secrets, before anything
 * else is said. Challenge and response with HMAC-SHA256 over everything that was exchanged.
 */
final class Handshake {

    static final int HELLO = 48;

    static final int CHALLENGE = 40;

    static final int PROOF = 56;

    static final int ACCEPT = 40;

    private static final int NONCE = 32;

    private static final int MAC = 32;

    private static final byte FROM_REQUESTER = 'Q';

    private static final byte FROM_RESPONDER = 'R';

    private static final String ALGORITHM = "HmacSHA256";

    private static final SecureRandom RANDOM = new SecureRandom();

    private Handshake() {}

    /**
     * What a requester says of itself, under the proof.
     *
     * @param sendPsn its first packet sequence number
     * @param mtu its path MTU in bytes
     * @param epoch number of this incarnation of its queue pair
     * @param resumeFrom number of the first message that is not acknowledged
     */
    record Proof(int sendPsn, int mtu, long epoch, long resumeFrom) {}

    static ByteBuffer hello(int destination, int source) {
        ByteBuffer hello = ByteBuffer.allocate(HELLO)
                .putInt(Wire.MAGIC)
                .putShort((short) Wire.VERSION)
                .putShort((short) Wire.VERSION)
                .putInt(destination)
                .putInt(source);
        return hello.put(nonce()).flip();
    }

    /** Reads the version range; returns the version to use. */
    static int agreeOnVersion(ByteBuffer hello) throws IOException {
        int least = Short.toUnsignedInt(hello.getShort(4));
        int most = Short.toUnsignedInt(hello.getShort(6));
        if (hello.getInt(0) != Wire.MAGIC || least > Wire.VERSION || most < Wire.VERSION) {
            throw new Wire.ProtocolException("A connection speaks another protocol or version");
        }
        return Wire.VERSION;
    }

    static int destination(ByteBuffer hello) {
        return hello.getInt(8);
    }

    static int source(ByteBuffer hello) {
        return hello.getInt(12);
    }

    static ByteBuffer challenge(int version) {
        return ByteBuffer.allocate(CHALLENGE)
                .putInt(Wire.MAGIC)
                .putShort((short) version)
                .putShort((short) 0)
                .put(nonce())
                .flip();
    }

    static void checkChallenge(ByteBuffer challenge) throws IOException {
        if (challenge.getInt(0) != Wire.MAGIC || challenge.getShort(4) != Wire.VERSION) {
            throw new Wire.ProtocolException("The peer speaks another protocol or version");
        }
    }

    static ByteBuffer proof(byte[] key, ByteBuffer hello, ByteBuffer challenge, Proof proof) {
        ByteBuffer message = ByteBuffer.allocate(PROOF)
                .putInt(proof.sendPsn())
                .putInt(proof.mtu())
                .putLong(proof.epoch())
                .putLong(proof.resumeFrom());
        message.put(
                mac(key, FROM_REQUESTER, hello, challenge, message.duplicate().flip()));
        return message.flip();
    }

    static Proof checkProof(byte[] key, ByteBuffer hello, ByteBuffer challenge, ByteBuffer message) throws IOException {
        ByteBuffer said = message.duplicate().clear().limit(PROOF - MAC);
        byte[] expected = mac(key, FROM_REQUESTER, hello, challenge, said);
        checkMac(expected, message, PROOF - MAC);
        return new Proof(message.getInt(0), message.getInt(4), message.getLong(8), message.getLong(16));
    }

    static ByteBuffer accept(byte[] key, ByteBuffer hello, ByteBuffer challenge, ByteBuffer proof, long expected) {
        ByteBuffer message = ByteBuffer.allocate(ACCEPT).putLong(expected);
        message.put(mac(
                key,
                FROM_RESPONDER,
                hello,
                challenge,
                proof.duplicate().clear(),
                message.duplicate().flip()));
        return message.flip();
    }

    /** Checks the peer's proof; returns the number of the next message that it expects. */
    static long checkAccept(byte[] key, ByteBuffer hello, ByteBuffer challenge, ByteBuffer proof, ByteBuffer message)
            throws IOException {
        ByteBuffer said = message.duplicate().clear().limit(ACCEPT - MAC);
        byte[] expected =
                mac(key, FROM_RESPONDER, hello, challenge, proof.duplicate().clear(), said);
        checkMac(expected, message, ACCEPT - MAC);
        return message.getLong(0);
    }

    private static void checkMac(byte[] expected, ByteBuffer message, int offset) throws IOException {
        byte[] got = new byte[MAC];
        message.duplicate().clear().position(offset).get(got);
        if (!MessageDigest.isEqual(expected, got)) {
            throw new Wire.ProtocolException("A connection did not prove the secret");
        }
    }

    private static byte[] nonce() {
        byte[] nonce = new byte[NONCE];
        RANDOM.nextBytes(nonce);
        return nonce;
    }

    private static byte[] mac(byte[] key, byte role, ByteBuffer hello, ByteBuffer challenge, ByteBuffer... more) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            mac.update(role);
            mac.update(hello.duplicate().clear());
            mac.update(challenge.duplicate().clear());
            for (ByteBuffer part : more) {
                mac.update(part);
            }
            return mac.doFinal();
        } catch (GeneralSecurityException ex) {
            throw new IllegalStateException("Every Java runtime has " + ALGORITHM, ex);
        }
    }

    /** Loads the cryptography, which may take longer than a handshake may. */
    static void warmUp() {
        ByteBuffer nothing = ByteBuffer.allocate(1);
        mac(newSecret(), FROM_REQUESTER, nothing, nothing);
    }

    /** The key of a connection: both ends' secrets, the responder's first. */
    static byte[] key(byte[] responderSecret, byte[] requesterSecret) {
        return ByteBuffer.allocate(responderSecret.length + requesterSecret.length)
                .put(responderSecret)
                .put(requesterSecret)
                .array();
    }

    /** A fresh secret of a queue pair. */
    static byte[] newSecret() {
        byte[] secret = new byte[SoftAddress.SECRET_LENGTH];
        RANDOM.nextBytes(secret);
        return secret;
    }
}
