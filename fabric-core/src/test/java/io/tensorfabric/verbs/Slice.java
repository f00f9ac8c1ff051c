package io.tensorfabric.verbs;

/** Part of a {@link Buffer}, for either end of a work request. Keys are those of the region, but can be replaced. */
record Slice(long address, int length, int lkey, int rkey) {

    Slice withLkey(int key) {
        return new Slice(address, length, key, rkey);
    }

    Slice withRkey(int key) {
        return new Slice(address, length, lkey, key);
    }

    Slice withLength(int bytes) {
        return new Slice(address, bytes, lkey, rkey);
    }

    /** Moved by bytes, without a check. */
    Slice shifted(long bytes) {
        return new Slice(address + bytes, length, lkey, rkey);
    }
}
