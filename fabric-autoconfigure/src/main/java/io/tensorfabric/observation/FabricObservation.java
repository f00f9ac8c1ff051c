package io.tensorfabric.observation;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

/** The observations of the fabric. */
public enum FabricObservation implements ObservationDocumentation {

    /** A push, from its call to the end of its future. */
    PUSH {
        @Override
        public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
            return DefaultPushObservationConvention.class;
        }
    },

    /** A pull from a tensor that a peer published, from its call to the end of its future. */
    PULL {
        @Override
        public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
            return DefaultRegionObservationConvention.class;
        }
    },

    /** A put into a tensor that a peer published, from its call to the end of its future. */
    PUT {
        @Override
        public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
            return DefaultRegionObservationConvention.class;
        }
    },

    /** A call of a listener. With manual acknowledgment it ends when the call does. */
    LISTENER {
        @Override
        public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
            return DefaultListenerObservationConvention.class;
        }
    };

    @Override
    public KeyName[] getLowCardinalityKeyNames() {
        return LowCardinality.values();
    }

    @Override
    public KeyName[] getHighCardinalityKeyNames() {
        return HighCardinality.values();
    }

    /** Keys with few values, for meters and spans. */
    public enum LowCardinality implements KeyName {

        /** Name of the peer. */
        PEER {
            @Override
            public String asString() {
                return "fabric.peer";
            }
        }
    }

    /** Keys with many values, for spans. */
    public enum HighCardinality implements KeyName {

        /** Name of the tensor. */
        TENSOR {
            @Override
            public String asString() {
                return "fabric.tensor";
            }
        },

        /** Payload bytes. */
        BYTES {
            @Override
            public String asString() {
                return "fabric.bytes";
            }
        }
    }
}
