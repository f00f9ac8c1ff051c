package io.tensorfabric.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class FootprintTest {

    @Test
    void whenTheKernelTellsThenTheNumberIsTakenWithoutItsUnit() {
        List<String> status = List.of("Name:\tjava", "VmRSS:\t   1234 kB", "RssShmem:\t      56 kB", "Threads:\t78");
        assertThat(Footprint.number(status, "RssShmem")).isEqualTo(56);
        assertThat(Footprint.number(status, "Threads")).isEqualTo(78);
        assertThat(Footprint.number(status, "VmSwap")).isNaN();
    }

    @Test
    void whenSharedMemoryIsMappedThenItsBytesAreCountedButThoseOfPools() {
        assertThat(Footprint.sharedBytes(List.of(
                        "7f0000000000-7f0000100000 rw-s 00000000 00:1a 5 /dev/shm/tensor-fabric-00ff (deleted)",
                        "7f0000200000-7f0000201000 r--s 00000000 00:1a 6 /dev/shm/tensor-fabric-1122 (deleted)",
                        "7f0000800000-7f0000c01000 rw-s 00000000 00:1a 8 /dev/shm/tensor-fabric-3344 (deleted)",
                        "7f0000300000-7f0000400000 r-xp 00000000 fe:00 7 /usr/lib/libc.so.6")))
                .isEqualTo((1 << 20) + 4096);
    }

    @Test
    void whenThereAreMoreThenEachTakesItsPartOfTheDifference() {
        Footprint few = new Footprint(10, 20, 30, 40, 50, 60, 70);
        Footprint many = new Footprint(30, 60, 90, 120, 150, 60, 110);
        assertThat(many.each(few, 10)).isEqualTo(new Footprint(2, 4, 6, 8, 10, 0, 4));
    }
}
