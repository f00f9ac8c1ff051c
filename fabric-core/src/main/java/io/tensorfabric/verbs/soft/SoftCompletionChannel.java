package io.tensorfabric.verbs.soft;

import io.tensorfabric.verbs.CompletionChannel;
import io.tensorfabric.verbs.CompletionQueue;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Handle of a completion channel. */
final class SoftCompletionChannel extends SoftResource implements CompletionChannel {

    private final SoftContext context;

    private final EventQueue events = new EventQueue();

    SoftCompletionChannel(SoftContext context) {
        super(new Lifecycle(
                "completion channel " + context.engine().nextId(), "ibv_destroy_comp_channel", context.lifecycle()));
        this.context = context;
    }

    SoftContext context() {
        return context;
    }

    EventQueue events() {
        return events;
    }

    @Override
    public @Nullable CompletionQueue await(Duration timeout) {
        checkOpen();
        return events.await(timeout);
    }

    @Override
    public void wakeUp() {
        events.wakeUp();
    }

    @Override
    void destroy() {
        context.engine().faults().checkCall("ibv_destroy_comp_channel");
        events.close();
    }
}
