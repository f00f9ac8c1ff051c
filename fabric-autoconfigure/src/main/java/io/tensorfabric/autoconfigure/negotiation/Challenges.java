package io.tensorfabric.autoconfigure.negotiation;

import java.security.SecureRandom;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Challenges of this start of this node, for callers that do not know yet who is here: a call that answers one fits no
 * other node. Keeps nothing: a challenge is a time and a signature with a key of its own. Thread-safe.
 */
final class Challenges {

    private static final Pattern FORM = Pattern.compile("(?<time>[0-9]{1,16})\\.(?<signature>[A-Za-z0-9_-]{43})");

    private final MessageSigner signer;

    private final long validMillis;

    /**
     * Challenges with a fresh key.
     *
     * @param validMillis how long one may take to be answered
     */
    Challenges(long validMillis) {
        byte[] key = new byte[32];
        new SecureRandom().nextBytes(key);
        this.signer = new MessageSigner(Base64.getEncoder().encodeToString(key));
        this.validMillis = validMillis;
    }

    /** A challenge for a node. */
    String issue(String node, long nowMillis) {
        return nowMillis + "." + signer.signChallenge(node, nowMillis);
    }

    /** Whether a challenge was issued here, to that node, and lately. */
    boolean isMine(String challenge, String node, long nowMillis) {
        Matcher form = FORM.matcher(challenge);
        if (!form.matches()) {
            return false;
        }
        long time = Long.parseLong(form.group("time"));
        return MessageSigner.matches(signer.signChallenge(node, time), form.group("signature"))
                && nowMillis - time >= 0
                && nowMillis - time <= validMillis;
    }
}
