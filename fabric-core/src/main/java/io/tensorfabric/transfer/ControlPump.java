package io.tensorfabric.transfer;

import io.tensorfabric.connection.Lane;
import io.tensorfabric.connection.Transmission;
import io.tensorfabric.connection.TransmissionListener;

/** Keeps the control lane busy: answers first, then small pushes and the headers of striped ones. Guarded by the lock of its link's sender. */
final class ControlPump {

    /** While so many messages of answers are under way, further answers gather for the next one. */
    private static final int MAX_ANSWERS_UNDER_WAY = 2;

    private final LinkSender sender;
    private final LanePumps pumps;
    private final Lane lane;
    private final Answers answers = new Answers();
    private final PushQueue pushes = PushQueue.byPriority();
    private int answersUnderWay;
    private boolean blocked;
    private boolean pumping;

    /** Answers hold no memory, and their failure is that of the connection. */
    private final TransmissionListener answersSent;

    ControlPump(LinkSender sender, LanePumps pumps, Lane lane) {
        this.sender = sender;
        this.pumps = pumps;
        this.lane = lane;
        this.answersSent = (on, token, status, vendorError) -> sender.answersSent();
    }

    Answers answers() {
        return answers;
    }

    /** Sends a push, or the header alone of one whose bytes were posted already. */
    void add(Push push) {
        pushes.add(push);
    }

    void remove(Push push) {
        pushes.remove(push);
    }

    void answersSent() {
        answersUnderWay--;
        pump();
    }

    void unblock() {
        blocked = false;
    }

    void clear() {
        answers.clear();
        pushes.clear();
    }

    void pump() {
        if (pumping) {
            // A completion within submit(): the loop below goes on with it.
            return;
        }
        pumping = true;
        try {
            boolean some = true;
            while (some && !blocked && pumps.isUp()) {
                some = sendNext();
            }
        } catch (RuntimeException e) {
            blocked = true;
            sender.laneFailed(lane, e);
        } finally {
            pumping = false;
        }
    }

    /** False if there is nothing to send. */
    private boolean sendNext() {
        if (!answers.isEmpty() && answersUnderWay < MAX_ANSWERS_UNDER_WAY) {
            sendAnswers();
            return true;
        }
        Push next = pushes.peek();
        if (next != null) {
            send(next);
        }
        return next != null;
    }

    private void sendAnswers() {
        Transmission transmission = lane.begin(1, true);
        if (transmission == null) {
            blocked = true;
            return;
        }
        answers.writeTo(transmission.message(TransferMessages.ANSWERS));
        answersUnderWay++;
        transmission.submit(answersSent, 0);
    }

    private void send(Push push) {
        // Without bytes, or with bytes that a GPU or other lanes have brought to their place already.
        boolean bare = push.posted == push.bytes() || push.source.isShared();
        boolean message = !push.isPull();
        Transmission transmission = lane.begin(bare || !message ? 1 : 2, message);
        if (transmission == null) {
            blocked = true;
            return;
        }
        pushes.poll();
        try {
            if (!bare) {
                write(transmission, push);
            }
            sender.writeHeader(transmission, push);
        } catch (RuntimeException e) {
            transmission.cancel();
            throw e;
        }
        push.posted = push.bytes();
        push.outstanding++;
        transmission.submit(push, bare ? 0 : push.bytes());
    }

    private void write(Transmission transmission, Push push) {
        PeerZone zone = push.zone;
        if (zone != null) {
            int bytes = (int) push.bytes();
            BulkPump.move(transmission, push, 0, bytes, zone.address() + push.offset, zone.rkey(lane.index()));
        }
    }
}
