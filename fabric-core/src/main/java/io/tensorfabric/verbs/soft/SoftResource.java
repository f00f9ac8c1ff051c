package io.tensorfabric.verbs.soft;

import io.tensorfabric.verbs.VerbsResource;

/** What all handles share: closing in order, once, and the report of a forgotten close. */
abstract class SoftResource implements VerbsResource {

    private final Lifecycle lifecycle;

    SoftResource(Lifecycle lifecycle) {
        this.lifecycle = lifecycle;
        lifecycle.watch(this);
    }

    final Lifecycle lifecycle() {
        return lifecycle;
    }

    final void checkOpen() {
        lifecycle.checkOpen();
    }

    @Override
    public final boolean isClosed() {
        return lifecycle.isClosed();
    }

    @Override
    public final void close() {
        lifecycle.close(this::destroy);
    }

    /** Destroys the object, which has no dependents; an exception leaves it open. */
    abstract void destroy();

    @Override
    public String toString() {
        return lifecycle.name();
    }
}
