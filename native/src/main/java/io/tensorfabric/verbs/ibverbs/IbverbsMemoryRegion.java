package io.tensorfabric.verbs.ibverbs;

import io.tensorfabric.verbs.AccessFlag;
import io.tensorfabric.verbs.MemoryRegion;
import java.util.Set;

/** A memory region. */
final class IbverbsMemoryRegion extends IbverbsResource implements MemoryRegion {

    private final ObjectIds ids;

    private final long id;

    private final long address;

    private final long length;

    private final Set<AccessFlag> access;

    private final int lkey;

    private final int rkey;

    IbverbsMemoryRegion(
            IbverbsProtectionDomain domain, long region, long address, long length, Set<AccessFlag> access) {
        super(new NativeHandle(
                "memory region of " + length + " bytes on " + domain.device().deviceName(),
                region,
                "ibv_dereg_mr",
                NativeVerbs::destroyRegion,
                domain.handle));
        this.ids = domain.device().ids();
        this.id = ObjectIds.next();
        this.address = address;
        this.length = length;
        this.access = Set.copyOf(access);
        this.lkey = NativeVerbs.regionLocalKey(region);
        this.rkey = NativeVerbs.regionRemoteKey(region);
        ids.put(id, this);
    }

    @Override
    public long handle() {
        return id;
    }

    @Override
    public long address() {
        return address;
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public Set<AccessFlag> access() {
        return access;
    }

    @Override
    public int lkey() {
        return lkey;
    }

    @Override
    public int rkey() {
        return rkey;
    }

    @Override
    void afterClose() {
        ids.remove(id);
    }
}
