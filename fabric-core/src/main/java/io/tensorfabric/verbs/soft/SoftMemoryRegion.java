package io.tensorfabric.verbs.soft;

import io.tensorfabric.offheap.SharedBlock;
import io.tensorfabric.verbs.AccessFlag;
import io.tensorfabric.verbs.Errno;
import io.tensorfabric.verbs.MemoryRegion;
import io.tensorfabric.verbs.VerbsException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Handle of a memory region. */
final class SoftMemoryRegion extends SoftResource implements MemoryRegion {

    private final SoftProtectionDomain domain;

    private final Set<AccessFlag> access;

    private final Region region;

    private final int lkey;

    private final int rkey;

    /** With {@code mapping} where memory of another device is, which this owns. */
    SoftMemoryRegion(
            SoftProtectionDomain domain, long address, long length, Set<AccessFlag> access, @Nullable Mapping mapping) {
        super(new Lifecycle("memory region " + domain.engine().nextId(), "ibv_dereg_mr", domain.lifecycle()));
        this.domain = domain;
        this.access = Set.copyOf(access);
        this.region = new Region(domain.identity(), address, length, AccessFlag.mask(access), mapping);
        KeyTable keys = domain.engine().keys();
        this.lkey = keys.reserve();
        this.rkey = keys.reserve();
        keys.publish(lkey, false, region);
        keys.publish(rkey, true, region);
    }

    @Override
    public long address() {
        return region.address();
    }

    @Override
    public long length() {
        return region.length();
    }

    @Override
    public Set<AccessFlag> access() {
        return access;
    }

    @Override
    public int lkey() {
        checkOpen();
        return lkey;
    }

    @Override
    public int rkey() {
        checkOpen();
        return rkey;
    }

    @Override
    void destroy() {
        Engine engine = domain.engine();
        engine.faults().checkCall("ibv_dereg_mr");
        int windows = region.beginClose();
        if (windows > 0) {
            throw new VerbsException(
                    "ibv_dereg_mr", Errno.EBUSY, this + " is used by " + windows + " bound memory window(s)");
        }
        KeyTable keys = engine.keys();
        keys.withdraw(lkey);
        keys.withdraw(rkey);
        if (!region.revoke()) {
            throw new VerbsException(
                    "ibv_dereg_mr", Errno.EBUSY, this + " is still being copied from or to; its memory must stay");
        }
        SharedBlock shared = region.shared();
        if (shared != null) {
            engine.endSharing(shared);
        }
        keys.release(lkey);
        keys.release(rkey);
        region.unmap();
        engine.regionQuota().give();
    }
}
