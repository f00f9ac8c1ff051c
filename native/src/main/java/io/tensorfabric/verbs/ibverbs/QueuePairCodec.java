package io.tensorfabric.verbs.ibverbs;

import io.tensorfabric.verbs.AccessFlag;
import io.tensorfabric.verbs.Gid;
import io.tensorfabric.verbs.Mtu;
import io.tensorfabric.verbs.PathAddress;
import io.tensorfabric.verbs.QueuePairAttribute;
import io.tensorfabric.verbs.QueuePairAttributes;
import io.tensorfabric.verbs.QueuePairState;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/** Queue-pair attributes to and from {@code struct tf_qp_attributes}. */
final class QueuePairCodec {

    private static final int BYTE = 0xff;

    private static final int SHORT = 0xffff;

    private QueuePairCodec() {}

    static Optional<Mtu> mtu(int code) {
        for (Mtu mtu : Mtu.values()) {
            if (mtu.code() == code) {
                return Optional.of(mtu);
            }
        }
        return Optional.empty();
    }

    static QueuePairState state(int code) {
        QueuePairState[] states = QueuePairState.values();
        return code >= 0 && code < states.length ? states[code] : QueuePairState.ERR;
    }

    /** The bits of {@code enum ibv_qp_attr_mask}. */
    static int mask(QueuePairAttributes attributes) {
        int mask = 0;
        for (QueuePairAttribute attribute : attributes.mask()) {
            mask |= attribute.bit();
        }
        return mask;
    }

    /**
     * Writes all attributes that were set.
     *
     * @param port port for the path when the attributes have none
     */
    static void write(QueuePairAttributes attributes, int port, Scratch out) {
        out.putInt(Layout.PAIR_PORT, port);
        for (QueuePairAttribute attribute : attributes.mask()) {
            write(attribute, attributes, out);
        }
    }

    private static void write(QueuePairAttribute attribute, QueuePairAttributes in, Scratch out) {
        switch (attribute) {
            case STATE -> out.putInt(Layout.PAIR_STATE, in.state().code());
            case ACCESS_FLAGS -> out.putInt(Layout.PAIR_ACCESS, AccessFlag.mask(in.accessFlags()));
            case PKEY_INDEX -> put(out, Layout.PAIR_PKEY_INDEX, attribute, in.pkeyIndex(), SHORT);
            case PORT -> put(out, Layout.PAIR_PORT, attribute, in.port(), BYTE);
            case PATH -> writePath(in.path(), out);
            case PATH_MTU -> out.putInt(Layout.PAIR_PATH_MTU, in.pathMtu().code());
            case TIMEOUT -> put(out, Layout.PAIR_TIMEOUT, attribute, in.timeout(), BYTE);
            case RETRY_COUNT -> put(out, Layout.PAIR_RETRY_COUNT, attribute, in.retryCount(), BYTE);
            case RNR_RETRY -> put(out, Layout.PAIR_RNR_RETRY, attribute, in.rnrRetry(), BYTE);
            case RECEIVE_PSN -> out.putInt(Layout.PAIR_RECEIVE_PSN, in.receivePsn());
            case MAX_READS_AS_INITIATOR ->
                put(out, Layout.PAIR_MAX_READS_INITIATOR, attribute, in.maxReadsAsInitiator(), BYTE);
            case MIN_RNR_TIMER -> put(out, Layout.PAIR_MIN_RNR_TIMER, attribute, in.minRnrTimer(), BYTE);
            case SEND_PSN -> out.putInt(Layout.PAIR_SEND_PSN, in.sendPsn());
            case MAX_READS_AS_TARGET -> put(out, Layout.PAIR_MAX_READS_TARGET, attribute, in.maxReadsAsTarget(), BYTE);
            case DESTINATION_QPN -> out.putInt(Layout.PAIR_DESTINATION_QPN, in.destinationQpn());
        }
    }

    /** C would cut off upper bits silently. */
    private static void put(Scratch out, int offset, Object attribute, int value, int most) {
        if (value < 0 || value > most) {
            throw Failures.invalid("ibv_modify_qp", attribute + " of " + value + " is not between 0 and " + most);
        }
        out.putInt(offset, value);
    }

    private static void writePath(PathAddress path, Scratch out) {
        put(out, Layout.PAIR_LID, "LID", path.lid(), SHORT);
        put(out, Layout.PAIR_SOURCE_GID_INDEX, "source GID index", path.sourceGidIndex(), BYTE);
        put(out, Layout.PAIR_TRAFFIC_CLASS, "traffic class", path.trafficClass(), BYTE);
        put(out, Layout.PAIR_SERVICE_LEVEL, "service level", path.serviceLevel(), BYTE);
        put(out, Layout.PAIR_HOP_LIMIT, "hop limit", path.hopLimit(), BYTE);
        out.putInt(Layout.PAIR_GLOBAL, path.gid().isZero() ? 0 : 1);
        out.putBytes(Layout.PAIR_GID, path.gid().toBytes());
    }

    /** All attributes that a queue pair holds; the path and its MTU only from RTR on. */
    static QueuePairAttributes read(Scratch in) {
        QueuePairAttributes.Builder out = QueuePairAttributes.to(state(in.getInt(Layout.PAIR_STATE)))
                .accessFlags(access(in.getInt(Layout.PAIR_ACCESS)))
                .pkeyIndex(in.getInt(Layout.PAIR_PKEY_INDEX))
                .port(in.getInt(Layout.PAIR_PORT))
                .timeout(in.getInt(Layout.PAIR_TIMEOUT))
                .retryCount(in.getInt(Layout.PAIR_RETRY_COUNT))
                .rnrRetry(in.getInt(Layout.PAIR_RNR_RETRY))
                .receivePsn(in.getInt(Layout.PAIR_RECEIVE_PSN))
                .maxReadsAsInitiator(in.getInt(Layout.PAIR_MAX_READS_INITIATOR))
                .minRnrTimer(in.getInt(Layout.PAIR_MIN_RNR_TIMER))
                .sendPsn(in.getInt(Layout.PAIR_SEND_PSN))
                .maxReadsAsTarget(in.getInt(Layout.PAIR_MAX_READS_TARGET))
                .destinationQpn(in.getInt(Layout.PAIR_DESTINATION_QPN));
        mtu(in.getInt(Layout.PAIR_PATH_MTU)).ifPresent(out::pathMtu);
        PathAddress path = readPath(in);
        if (!path.gid().isZero() || path.lid() != 0) {
            out.path(path);
        }
        return out.build();
    }

    private static PathAddress readPath(Scratch in) {
        return new PathAddress(
                Gid.of(in.getBytes(Layout.PAIR_GID, Gid.LENGTH)),
                in.getInt(Layout.PAIR_LID),
                in.getInt(Layout.PAIR_SOURCE_GID_INDEX),
                in.getInt(Layout.PAIR_TRAFFIC_CLASS),
                in.getInt(Layout.PAIR_SERVICE_LEVEL),
                in.getInt(Layout.PAIR_HOP_LIMIT),
                null);
    }

    private static Set<AccessFlag> access(int mask) {
        Set<AccessFlag> flags = EnumSet.noneOf(AccessFlag.class);
        for (AccessFlag flag : AccessFlag.values()) {
            if ((mask & flag.bit()) != 0) {
                flags.add(flag);
            }
        }
        return flags;
    }
}
