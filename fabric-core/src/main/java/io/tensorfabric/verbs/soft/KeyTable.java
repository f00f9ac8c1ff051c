package io.tensorfabric.verbs.soft;

import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Keys of a device. A key is a random index of 24 bits and a low byte; local and remote keys never share an index, and
 * an index is not given out again for a long while after its release. Lookups take no lock and allocate nothing.
 */
final class KeyTable {

    private static final int INITIAL_SLOTS = 64;

    private static final int INDEX_LIMIT = 1 << 24;

    /** Released indices that are kept out of use. */
    private static final int QUARANTINE = 1 << 16;

    private static final Entry REMOVED = new Entry(0, false, null);

    private final SecureRandom random = new SecureRandom();

    private final Set<Integer> taken = new HashSet<>();

    private final ArrayDeque<Integer> quarantine = new ArrayDeque<>();

    private volatile AtomicReferenceArray<@Nullable Entry> slots = new AtomicReferenceArray<>(INITIAL_SLOTS);

    /** Slots that are not empty, removed ones included. */
    private int filled;

    private int live;

    private static final class Entry {

        final int key;

        final boolean remote;

        final @Nullable Grant grant;

        Entry(int key, boolean remote, @Nullable Grant grant) {
            this.key = key;
            this.remote = remote;
            this.grant = grant;
        }
    }

    /** Takes a fresh index; the result is a key with a random low byte that opens nothing yet. */
    synchronized int reserve() {
        while (true) {
            int key = random.nextInt();
            int index = key >>> 8;
            if (index != 0 && index < INDEX_LIMIT && taken.add(index)) {
                return key;
            }
        }
    }

    /** Lets a key open a grant. */
    synchronized void publish(int key, boolean remote, Grant grant) {
        if (2 * (filled + 1) > slots.length()) {
            rehash();
        }
        insert(slots, new Entry(key, remote, grant));
        filled++;
        live++;
    }

    /** Makes a key open nothing; does nothing when it is not published. */
    synchronized void withdraw(int key) {
        AtomicReferenceArray<@Nullable Entry> table = slots;
        int mask = table.length() - 1;
        for (int i = slot(key, mask); ; i = (i + 1) & mask) {
            Entry entry = table.get(i);
            if (entry == null) {
                return;
            }
            if (entry != REMOVED && entry.key == key) {
                table.set(i, REMOVED);
                live--;
                return;
            }
        }
    }

    /** Gives the index of a key back. */
    synchronized void release(int key) {
        withdraw(key);
        quarantine.add(key >>> 8);
        if (quarantine.size() > QUARANTINE) {
            taken.remove(quarantine.remove());
        }
    }

    /** What a key opens, or {@code null}. */
    @Nullable Grant find(int key, boolean remote) {
        AtomicReferenceArray<@Nullable Entry> table = slots;
        int mask = table.length() - 1;
        for (int i = slot(key, mask); ; i = (i + 1) & mask) {
            Entry entry = table.get(i);
            if (entry == null) {
                return null;
            }
            if (entry != REMOVED && entry.key == key && entry.remote == remote) {
                return entry.grant;
            }
        }
    }

    private void rehash() {
        AtomicReferenceArray<@Nullable Entry> old = slots;
        int size = Math.max(INITIAL_SLOTS, Integer.highestOneBit(Math.max(1, live)) * 8);
        AtomicReferenceArray<@Nullable Entry> next = new AtomicReferenceArray<>(size);
        for (int i = 0; i < old.length(); i++) {
            Entry entry = old.get(i);
            if (entry != null && entry != REMOVED) {
                insert(next, entry);
            }
        }
        filled = live;
        slots = next;
    }

    private static void insert(AtomicReferenceArray<@Nullable Entry> table, Entry entry) {
        int mask = table.length() - 1;
        int i = slot(entry.key, mask);
        while (table.get(i) != null) {
            i = (i + 1) & mask;
        }
        table.set(i, entry);
    }

    private static int slot(int key, int mask) {
        return (key >>> 8) & mask;
    }
}
