/* Waiting, waking, deadlines. */
#include "check.h"
#include "shim.h"

#include <errno.h>
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

void test_waits(void)
{
    RUN(a_wait_ends_by_data_by_waking_or_by_time);
    RUN(a_library_that_is_missing_is_named);
}
