package io.tensorfabric.transfer;

import io.tensorfabric.connection.Connection;
import io.tensorfabric.connection.Lane;
import io.tensorfabric.verbs.WorkCompletionStatus;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Successful transmissions of a link that its device told of together: they are taken under one hold of the lock of the link's
 * sender. Callers contend for it, and each handing over costs more than a completion. Of the thread that hands out completions.
 */
final class CompletionBatch implements Runnable {

    private static final Logger log = LoggerFactory.getLogger(CompletionBatch.class);

    private final Connection connection;
    private final ReentrantLock lock;
    private final PushEnds ends;
    private final EndedPushes ended;
    private final List<Push> turnedAway = new ArrayList<>();
    private @Nullable Push[] pushes = new @Nullable Push[16];
    private @Nullable Lane[] lanes = new @Nullable Lane[16];
    private long[] bytes = new long[16];
    private int count;

    /** @param lock of the link's sender */
    CompletionBatch(Engine engine, Connection connection, ReentrantLock lock, PushEnds ends) {
        this.connection = connection;
        this.lock = lock;
        this.ends = ends;
        this.ended = new EndedPushes(engine);
    }

    /** Takes a completion in; false if it did not come with others, perhaps. */
    boolean add(Push push, Lane lane, long moved) {
        if (count == 0 && !connection.afterBatch(this)) {
            return false;
        }
        if (count == bytes.length) {
            pushes = Arrays.copyOf(pushes, count * 2);
            lanes = Arrays.copyOf(lanes, count * 2);
            bytes = Arrays.copyOf(bytes, count * 2);
        }
        pushes[count] = push;
        lanes[count] = lane;
        bytes[count] = moved;
        count++;
        return true;
    }

    /** Takes what came in. */
    @Override
    public void run() {
        if (count == 0) {
            return;
        }
        lock.lock();
        try {
            // Further ones may come in meanwhile: posting may complete.
            for (int i = 0; i < count; i++) {
                take(i);
            }
        } finally {
            count = 0;
            lock.unlock();
        }
        ended.tell();
        for (int i = 0; i < turnedAway.size(); i++) {
            Push push = turnedAway.get(i);
            push.attemptFailed(PushFailures.peerShutsDown(push));
        }
        turnedAway.clear();
    }

    private void take(int i) {
        Push push = pushes[i];
        Lane lane = lanes[i];
        pushes[i] = null;
        if (push == null || lane == null) {
            return;
        }
        try {
            if (ends.take(push, lane, bytes[i], WorkCompletionStatus.SUCCESS, ended)) {
                turnedAway.add(push);
            }
        } catch (RuntimeException e) {
            log.error("{}: the end of a transmission could not be handled", push, e);
        }
    }
}
