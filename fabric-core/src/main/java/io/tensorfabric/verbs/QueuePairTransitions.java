package io.tensorfabric.verbs;

import static io.tensorfabric.verbs.QueuePairAttribute.ACCESS_FLAGS;
import static io.tensorfabric.verbs.QueuePairAttribute.DESTINATION_QPN;
import static io.tensorfabric.verbs.QueuePairAttribute.MAX_READS_AS_INITIATOR;
import static io.tensorfabric.verbs.QueuePairAttribute.MAX_READS_AS_TARGET;
import static io.tensorfabric.verbs.QueuePairAttribute.MIN_RNR_TIMER;
import static io.tensorfabric.verbs.QueuePairAttribute.PATH;
import static io.tensorfabric.verbs.QueuePairAttribute.PATH_MTU;
import static io.tensorfabric.verbs.QueuePairAttribute.PKEY_INDEX;
import static io.tensorfabric.verbs.QueuePairAttribute.PORT;
import static io.tensorfabric.verbs.QueuePairAttribute.RECEIVE_PSN;
import static io.tensorfabric.verbs.QueuePairAttribute.RETRY_COUNT;
import static io.tensorfabric.verbs.QueuePairAttribute.RNR_RETRY;
import static io.tensorfabric.verbs.QueuePairAttribute.SEND_PSN;
import static io.tensorfabric.verbs.QueuePairAttribute.STATE;
import static io.tensorfabric.verbs.QueuePairAttribute.TIMEOUT;
import static io.tensorfabric.verbs.QueuePairState.ERR;
import static io.tensorfabric.verbs.QueuePairState.INIT;
import static io.tensorfabric.verbs.QueuePairState.RESET;
import static io.tensorfabric.verbs.QueuePairState.RTR;
import static io.tensorfabric.verbs.QueuePairState.RTS;
import static io.tensorfabric.verbs.QueuePairState.SQD;
import static io.tensorfabric.verbs.QueuePairState.SQE;

import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * For providers: which state may follow which, and with which attributes, for reliable connected queue pairs. From
 * {@code ibv_modify_qp(3)} and the table {@code qp_state_table} of the Linux kernel
 * ({@code drivers/infiniband/core/verbs.c}).
 */
public final class QueuePairTransitions {

    private record Rule(Set<QueuePairAttribute> required, Set<QueuePairAttribute> optional) {}

    private static final Map<QueuePairState, Map<QueuePairState, Rule>> RULES = rules();

    private QueuePairTransitions() {}

    private static Map<QueuePairState, Map<QueuePairState, Rule>> rules() {
        Set<QueuePairAttribute> init = EnumSet.of(PKEY_INDEX, PORT, ACCESS_FLAGS);
        Set<QueuePairAttribute> running = EnumSet.of(ACCESS_FLAGS, MIN_RNR_TIMER);
        Rule free = new Rule(none(), none());
        Rule adjust = new Rule(none(), running);
        return Map.of(
                RESET, Map.of(RESET, free, INIT, new Rule(init, none())),
                INIT, Map.of(RESET, free, ERR, free, INIT, new Rule(none(), init), RTR, readyToReceive()),
                RTR, Map.of(RESET, free, ERR, free, RTS, readyToSend(running)),
                RTS, Map.of(RESET, free, ERR, free, RTS, adjust, SQD, free),
                SQD, Map.of(RESET, free, ERR, free, RTS, adjust, SQD, drained()),
                SQE, Map.of(RESET, free, ERR, free, RTS, free),
                ERR, Map.of(RESET, free, ERR, free));
    }

    private static Rule readyToReceive() {
        return new Rule(
                EnumSet.of(PATH, PATH_MTU, DESTINATION_QPN, RECEIVE_PSN, MAX_READS_AS_TARGET, MIN_RNR_TIMER),
                EnumSet.of(ACCESS_FLAGS, PKEY_INDEX));
    }

    private static Rule readyToSend(Set<QueuePairAttribute> running) {
        return new Rule(EnumSet.of(TIMEOUT, RETRY_COUNT, RNR_RETRY, SEND_PSN, MAX_READS_AS_INITIATOR), running);
    }

    private static Rule drained() {
        return new Rule(
                none(),
                EnumSet.of(
                        PORT,
                        PATH,
                        TIMEOUT,
                        RETRY_COUNT,
                        RNR_RETRY,
                        MAX_READS_AS_INITIATOR,
                        MAX_READS_AS_TARGET,
                        ACCESS_FLAGS,
                        PKEY_INDEX,
                        MIN_RNR_TIMER));
    }

    private static Set<QueuePairAttribute> none() {
        return EnumSet.noneOf(QueuePairAttribute.class);
    }

    /**
     * Checks a change of attributes; the target is the present state when none is given.
     *
     * @param name of the queue pair, for the message
     * @throws VerbsException with {@link Errno#EINVAL} that names both states and the missing and surplus attributes
     */
    public static void check(String name, QueuePairState from, QueuePairState to, QueuePairAttributes attributes) {
        Rule rule = rule(from, to);
        if (rule == null) {
            throw refused(name, from, to, "there is no such transition for a reliable connected queue pair");
        }
        Set<QueuePairAttribute> missing = EnumSet.noneOf(QueuePairAttribute.class);
        missing.addAll(rule.required);
        missing.removeAll(attributes.mask());
        Set<QueuePairAttribute> surplus = EnumSet.noneOf(QueuePairAttribute.class);
        surplus.addAll(attributes.mask());
        surplus.remove(STATE);
        surplus.removeAll(rule.required);
        surplus.removeAll(rule.optional);
        if (!missing.isEmpty() || !surplus.isEmpty()) {
            throw refused(name, from, to, describe(missing, surplus));
        }
    }

    private static @Nullable Rule rule(QueuePairState from, QueuePairState to) {
        Map<QueuePairState, Rule> targets = RULES.get(from);
        return targets == null ? null : targets.get(to);
    }

    private static String describe(Set<QueuePairAttribute> missing, Set<QueuePairAttribute> surplus) {
        String missingPart = missing.isEmpty() ? "" : "missing attributes " + missing;
        String surplusPart = surplus.isEmpty() ? "" : "surplus attributes " + surplus;
        return missingPart + (missing.isEmpty() || surplus.isEmpty() ? "" : ", ") + surplusPart;
    }

    private static VerbsException refused(String name, QueuePairState from, QueuePairState to, String why) {
        return new VerbsException("ibv_modify_qp", Errno.EINVAL, name + " from " + from + " to " + to + ": " + why);
    }
}
