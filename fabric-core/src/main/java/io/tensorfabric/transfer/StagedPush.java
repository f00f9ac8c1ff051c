package io.tensorfabric.transfer;

/** Tells the sender of a push what the GPU has copied for it, and ends the push when the GPU fails. */
final class StagedPush implements StagedSource.Listener {

    private final LinkSender sender;

    private final Push push;

    StagedPush(LinkSender sender, Push push) {
        this.sender = sender;
        this.push = push;
    }

    @Override
    public void ready() {
        sender.sourceReady(push);
    }

    @Override
    public void failed(RuntimeException failure) {
        sender.sourceFailed(push, failure);
    }
}
