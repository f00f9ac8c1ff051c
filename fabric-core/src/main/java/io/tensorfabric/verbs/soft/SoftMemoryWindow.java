package io.tensorfabric.verbs.soft;

import io.tensorfabric.verbs.MemoryWindow;

/** Handle of a type-2 memory window. */
final class SoftMemoryWindow extends SoftResource implements MemoryWindow {

    private final SoftProtectionDomain domain;

    private final Window window;

    private final long id;

    SoftMemoryWindow(SoftProtectionDomain domain, long id) {
        super(new Lifecycle("memory window " + id, "ibv_dealloc_mw", domain.lifecycle()));
        this.domain = domain;
        this.id = id;
        this.window = new Window(domain.engine().keys(), domain.engine().faults(), domain.identity());
        domain.engine().addWindow(id, window);
    }

    @Override
    public long handle() {
        checkOpen();
        return id;
    }

    @Override
    public int rkey() {
        checkOpen();
        return window.rkey();
    }

    @Override
    void destroy() {
        Engine engine = domain.engine();
        engine.faults().checkCall("ibv_dealloc_mw");
        engine.removeWindow(id);
        window.close();
        engine.windowQuota().give();
    }
}
