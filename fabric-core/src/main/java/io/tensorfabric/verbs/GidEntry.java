package io.tensorfabric.verbs;

/**
 * A used entry of a port's GID table.
 *
 * @param index position in the table, counted from 0, holes included
 * @param gid the address
 * @param type its protocol
 * @param networkDevice name of the network device that it belongs to, empty when there is none
 */
public record GidEntry(int index, Gid gid, GidType type, String networkDevice) {}
