/* Where a thread runs. */
#include "shim.h"

#include <errno.h>
#include <sched.h>

/* A set of the kernel's size: 8192 processors, the most that it can be built for (CONFIG_NR_CPUS on x86-64). */
enum { PROCESSORS = 8192 };

int tf_thread_bind(const uint64_t *wanted, int words)
{
    cpu_set_t *set = CPU_ALLOC(PROCESSORS);
    const size_t size = CPU_ALLOC_SIZE(PROCESSORS);
    int kept = 0;
    int rc = 0;

    if (!set)
        return -ENOMEM;
    CPU_ZERO_S(size, set);
    if (sched_getaffinity(0, size, set) < 0) {
        rc = tf_errno();
        goto out;
    }
    for (int cpu = 0; cpu < PROCESSORS; cpu++) {
        const int near = cpu / 64 < words && (wanted[cpu / 64] >> (cpu % 64) & 1);

        if (!near)
            CPU_CLR_S(cpu, size, set);
        else if (CPU_ISSET_S(cpu, size, set))
            kept++;
    }
    /* Not even an empty set is an error of its own: the caller has told what it would like. */
    if (kept > 0 && sched_setaffinity(0, size, set) < 0)
        rc = tf_errno();
out:
    CPU_FREE(set);
    return rc < 0 ? rc : kept;
}
