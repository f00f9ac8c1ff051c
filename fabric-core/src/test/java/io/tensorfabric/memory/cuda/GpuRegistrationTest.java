package io.tensorfabric.memory.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorfabric.testing.cuda.StubCuda;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Registrations of memory that the application allocated. */
class GpuRegistrationTest {

    private static final int SEGMENT = 2 << 20;

    private GpuFixture fixture;

    private GpuMemory memory;

    private CudaContext context;

    @BeforeEach
    void open() {
        StubCuda.reset();
        fixture = new GpuFixture();
        memory = fixture.open(GpuFixture.OPTIONS.withCachedRegistrations(4));
        context = CudaContext.retain(0);
    }

    private void reopen(GpuFixture other) {
        memory.close();
        fixture.close();
        fixture = other;
        memory = fixture.open(GpuFixture.OPTIONS);
    }

    @AfterEach
    void close() {
        context.close();
        memory.close();
        fixture.close();
        StubCuda.assertClean();
    }

    private long allocate(long bytes) {
        return context.call(() -> CudaDriver.allocate(bytes, 0));
    }

    private void free(long address) {
        context.run(() -> CudaDriver.free(address, 0));
    }

    @Test
    void whenTensorsShareAnAllocationThenItIsRegisteredOnce() {
        long address = allocate(3 << 20);
        try (GpuSource first = memory.register(address + 3, 100_001);
                GpuSource second = memory.register(address + 200_000, 5)) {
            assertThat(first.lkey(address + 3)).isEqualTo(second.lkey(address + 200_000));
            assertThat(first.contiguous(address + 4)).isEqualTo(100_000);
            assertThat(memory.registrationMisses()).isEqualTo(1);
            assertThat(memory.registrationHits()).isEqualTo(1);
        }
        assertThat(memory.registrations()).isEqualTo(1);
        free(address);
    }

    @Test
    void whenPointerIsFreedAndAllocatedAgainThenItIsRegisteredAnew() {
        long first = allocate(1000);
        memory.register(first, 1000).close();
        free(first);
        long second = allocate(1000);
        assertThat(second).isEqualTo(first);

        memory.register(second, 1000).close();

        assertThat(memory.registrationMisses()).isEqualTo(2);
        assertThat(memory.registrations()).isEqualTo(1);
        free(second);
    }

    @Test
    void whenFreedPointerIsPushedThenItIsRefused() {
        long address = allocate(1000);
        memory.register(address, 1000).close();
        free(address);

        assertThatThrownBy(() -> memory.register(address, 1000))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("was freed");
    }

    @Test
    void whenManyAllocationsAreRegisteredThenTheLeastRecentlyUsedGo() {
        List<Long> addresses = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            addresses.add(allocate(1000));
            memory.register(addresses.get(i), 1000).close();
            memory.register(addresses.get(0), 1000).close();
        }
        assertThat(memory.registrations()).isEqualTo(4);
        assertThat(memory.registrationMisses()).isEqualTo(10);
        addresses.forEach(this::free);
    }

    @Test
    void whenRegistrationIsInUseThenItIsNotDropped() {
        long held = allocate(1000);
        try (GpuSource source = memory.register(held, 1000)) {
            int key = source.lkey(held);
            List<Long> others = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                others.add(allocate(1000));
                memory.register(others.get(i), 1000).close();
            }
            assertThat(source.lkey(held)).isEqualTo(key);
            others.forEach(this::free);
        }
        free(held);
    }

    @Test
    void whenRangeLeavesTheAllocationThenItIsRefused() {
        long address = allocate(2 << 20);
        assertThatThrownBy(() -> memory.register(address + 100, 4 << 20))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("beyond the allocation");
        assertThat(memory.registrations()).isEqualTo(1);
        free(address);
    }

    @Test
    void whenPointerIsOfAnotherGpuThenErrorNamesBoth() {
        try (CudaContext other = CudaContext.retain(1)) {
            long address = other.call(() -> CudaDriver.allocate(1000, 1));
            assertThatThrownBy(() -> memory.register(address, 1000))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("cuda:1")
                    .hasMessageContaining("cuda:0");
            other.run(() -> CudaDriver.free(address, 1));
        }
    }

    @Test
    void whenWindowToTheGpuIsSmallThenOnlyTheRangeIsRegistered() {
        long address = allocate(32 << 20);
        StubCuda.set("bar1", 8 << 20);

        try (GpuSource source = memory.register(address + 5000, 100_000)) {
            assertThat(source.contiguous(address + 5000)).isEqualTo(100_000);
            assertThat(source.lkey(address + 5000)).isNotZero();
        }

        assertThat(memory.registrations()).isZero();
        assertThatThrownBy(() -> memory.register(address, 32 << 20))
                .isInstanceOf(CudaDriverException.class)
                .hasMessageContaining("CUDA_ERROR_OUT_OF_MEMORY");
        free(address);
    }

    @Test
    void whenRegionsOfTheDeviceAreSmallThenAllocationGetsSeveral() {
        reopen(new GpuFixture(1 << 20));
        long address = allocate(3 << 20);
        try (GpuSource source = memory.register(address + 100, (3 << 20) - 100)) {
            assertThat(source.contiguous(address + 100)).isEqualTo((1 << 20) - 100);
            assertThat(source.contiguous(address + (1 << 20))).isEqualTo(1 << 20);
            assertThat(source.lkey(address + 100)).isNotEqualTo(source.lkey(address + (1 << 20)));
        }
        free(address);
    }

    @Test
    void whenMemoryConsistsOfSegmentsThenEachIsRegistered() {
        long address = StubCuda.segments(3, SEGMENT);
        long start = address + SEGMENT - 1000;

        try (GpuSource source = memory.register(start, SEGMENT + 2000)) {
            assertThat(source.contiguous(start)).isEqualTo(1000);
            assertThat(source.contiguous(start + 1000)).isEqualTo(SEGMENT);
            assertThat(source.contiguous(start + 1000 + SEGMENT)).isEqualTo(1000);
            assertThat(memory.registrations()).isEqualTo(3);
        }

        StubCuda.freeSegments(address, 3, SEGMENT);
    }

    @Test
    void whenDeviceRefusesThenNothingIsLeftAndErrorNamesTheCall() {
        long address = allocate(2 << 20);
        fixture.faults.failCall("ibv_reg_dmabuf_mr", io.tensorfabric.verbs.Errno.EINVAL, 1);

        assertThatThrownBy(() -> memory.register(address, 100)).hasMessageContaining("ibv_reg_dmabuf_mr");

        assertThat(memory.registrations()).isZero();
        memory.register(address, 100).close();
        free(address);
    }
}
