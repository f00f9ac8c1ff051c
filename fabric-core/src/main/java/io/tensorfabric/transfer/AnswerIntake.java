package io.tensorfabric.transfer;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Takes the answers of a peer. Those of one message that only concern pushes which go well are taken under one hold of the
 * lock of the link's sender: callers contend for it, and each handing over costs more than an answer. All others, which are
 * few, come after that, since they may call what must not be called under the lock. Used by one thread at a time.
 */
final class AnswerIntake implements Answers.Visitor {

    private final ReentrantLock lock;
    private final LinkSender sender;
    private final PeerLink link;
    private final EndedPushes ended;
    private final Queue<Runnable> later = new ArrayDeque<>();

    /** @param lock of the link's sender */
    AnswerIntake(Engine engine, ReentrantLock lock, LinkSender sender, PeerLink link) {
        this.lock = lock;
        this.sender = sender;
        this.link = link;
        this.ended = new EndedPushes(engine);
    }

    /**
     * Takes the answers of a message, from position to limit.
     *
     * @throws ProtocolViolation if it is anything but whole and valid answers; those before were taken
     */
    void take(ByteBuffer body) {
        try {
            lock.lock();
            try {
                Answers.read(body, this);
            } finally {
                lock.unlock();
            }
        } finally {
            ended.tell();
            for (Runnable next = later.poll(); next != null; next = later.poll()) {
                next.run();
            }
        }
    }

    @Override
    public void accepted(long transferId) {
        sender.answered(transferId, ReceiptLevel.ACCEPTED, ended);
    }

    @Override
    public void processed(long transferId) {
        sender.answered(transferId, ReceiptLevel.PROCESSED, ended);
    }

    @Override
    public void released(int zoneId, long offset, long length) {
        sender.released(zoneId, offset, length);
    }

    @Override
    public void rejected(long transferId, RejectCode code, String text) {
        later.add(() -> sender.rejected(transferId, code, text));
    }

    @Override
    public void retire(int zoneId) {
        later.add(() -> sender.retire(zoneId));
    }

    @Override
    public void retired(int zoneId) {
        later.add(() -> link.retired(zoneId));
    }

    @Override
    public void groupOver(long groupId, int messages) {
        later.add(() -> link.receiver().groups().over(groupId, messages));
    }
}
