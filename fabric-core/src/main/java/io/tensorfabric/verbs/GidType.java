package io.tensorfabric.verbs;

/** Type of a GID table entry with the numbers of {@code enum ibv_gid_type}. */
public enum GidType {
    INFINIBAND,
    ROCE_V1,
    ROCE_V2
}
