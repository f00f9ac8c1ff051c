package io.tensorfabric.transfer;

import java.util.concurrent.locks.ReentrantLock;

/** Sends the answers of a link's receiving half over its control lane. Thread-safe; never blocks for the lane. */
final class AnswerSender {

    private final ReentrantLock lock;

    private final LanePumps pumps;

    /** @param lock the lock of the link's sender, which guards the pumps */
    AnswerSender(ReentrantLock lock, LanePumps pumps) {
        this.lock = lock;
        this.pumps = pumps;
    }

    /** The peer's tensor is accepted or processed. */
    void answer(long transferId, ReceiptLevel level) {
        lock.lock();
        try {
            if (!pumps.isDown()) {
                if (level == ReceiptLevel.PROCESSED) {
                    pumps.answers().processed(transferId);
                } else {
                    pumps.answers().accepted(transferId);
                }
                pumps.pumpAnswers();
            }
        } finally {
            lock.unlock();
        }
    }

    /** The peer's tensor is refused. */
    void refuse(long transferId, RejectCode code, String text) {
        lock.lock();
        try {
            if (!pumps.isDown()) {
                pumps.answers().rejected(transferId, code, text);
                pumps.pumpAnswers();
            }
        } finally {
            lock.unlock();
        }
    }

    /** The peer's tensor needs its room no more. */
    void giveBack(int zoneId, long offset, long length) {
        lock.lock();
        try {
            if (!pumps.isDown()) {
                pumps.answers().released(zoneId, offset, length);
                pumps.pumpAnswers();
            }
        } finally {
            lock.unlock();
        }
    }

    /** A zone of the peer is not used by this node any more. */
    void retired(int zoneId) {
        lock.lock();
        try {
            if (!pumps.isDown()) {
                pumps.answers().retired(zoneId);
                pumps.pumpAnswers();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Whether answers wait for their lane. */
    boolean isWaiting() {
        lock.lock();
        try {
            return !pumps.answers().isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** Asks the peer to give up a dedicated zone of this node. */
    void askToRetire(int zoneId) {
        lock.lock();
        try {
            if (!pumps.isDown()) {
                pumps.answers().retire(zoneId);
                pumps.pumpAnswers();
            }
        } finally {
            lock.unlock();
        }
    }
}
