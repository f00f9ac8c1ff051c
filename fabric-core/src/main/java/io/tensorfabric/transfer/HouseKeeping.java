package io.tensorfabric.transfer;

import java.util.concurrent.TimeUnit;

/** Looks for idle zones and unreturned memory from time to time. */
final class HouseKeeping extends DeadlineWheel.Entry {

    private final Engine engine;

    HouseKeeping(Engine engine) {
        this.engine = engine;
    }

    void arm() {
        long idle = engine.options().dedicatedZoneIdle().toNanos();
        engine.wheel().arm(this, Math.min(idle, TimeUnit.SECONDS.toNanos(60)) / 4 + 1);
    }

    @Override
    void expired() {
        engine.askIdleZonesBack(engine.options().dedicatedZoneIdle().toNanos());
        engine.cleanUp(engine::retryCleanUps);
        arm();
    }
}
