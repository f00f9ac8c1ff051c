/* Waiting, waking, deadlines. */
#include "check.h"
#include "shim.h"

#include <errno.h>
#include <sched.h>
#include <unistd.h>

static const int64_t ms = 1000000;

static void a_wait_ends_by_data_by_waking_or_by_time(void)
{
    int ends[2];
    int wake = -1;

    CHECK(pipe(ends) == 0 && tf_wake_create(&wake) == 0);
    CHECK(tf_wait(ends[0], wake, 0) == 0);
    CHECK(tf_wait(ends[0], wake, 5 * ms) == 0);
    CHECK(write(ends[1], "x", 1) == 1);
    CHECK(tf_wait(ends[0], wake, 1000 * ms) == 1);
    CHECK(tf_wake_signal(wake) == 0 && tf_wake_signal(wake) == 0);
    CHECK(tf_wait(ends[0], wake, 1000 * ms) == 2);
    CHECK(tf_wait(ends[0], wake, -1) == 1);
    CHECK(tf_set_nonblocking(ends[0]) == 0 && tf_set_nonblocking(-1) == -EBADF);
    close(ends[0]);
    close(ends[1]);
    close(wake);
}

static void a_library_that_is_missing_is_named(void)
{
    char text[256] = "";
    int rc = tf_library_open(text, sizeof text);

    /* Where rdma-core is installed it opens, and a short buffer holds what fits. */
    CHECK(rc == 0 || text[0] != '\0');
}

static void a_thread_is_bound_to_what_it_may_use(void)
{
    cpu_set_t before;
    cpu_set_t after;
    uint64_t wanted[2] = {0, 0};
    int first = 0;

    CHECK(sched_getaffinity(0, sizeof before, &before) == 0);
    /* None of them: nothing changes. */
    CHECK(tf_thread_bind(wanted, 2) == 0);
    CHECK(sched_getaffinity(0, sizeof after, &after) == 0 && CPU_EQUAL(&before, &after));
    while (!CPU_ISSET(first, &before))
        first++;
    if (first < 128) {
        wanted[first / 64] = (uint64_t)1 << first % 64;
        CHECK(tf_thread_bind(wanted, 2) == 1);
        CHECK(sched_getaffinity(0, sizeof after, &after) == 0);
        CHECK(CPU_COUNT(&after) == 1 && CPU_ISSET(first, &after));
        CHECK(sched_setaffinity(0, sizeof before, &before) == 0);
    }
}

void test_waits(void)
{
    RUN(a_thread_is_bound_to_what_it_may_use);
    RUN(a_wait_ends_by_data_by_waking_or_by_time);
    RUN(a_library_that_is_missing_is_named);
}
