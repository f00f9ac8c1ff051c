/* Waiting for a file descriptor with a deadline and a way to be woken. */
#include "shim.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

static const int64_t second = 1000000000;

int tf_wake_create(int *fd)
{
    int created = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);

    if (created < 0)
        return tf_errno();
    *fd = created;
    return 0;
}

int tf_wake_signal(int fd)
{
    uint64_t one = 1;

    /* EAGAIN: the counter is full, so the waiter wakes anyway. */
    if (write(fd, &one, sizeof one) < 0 && errno != EAGAIN)
        return tf_errno();
    return 0;
}

int tf_set_nonblocking(int fd)
{
    int flags = fcntl(fd, F_GETFL);

    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
        return tf_errno();
    return 0;
}

static int64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * second + time.tv_nsec;
}

static int poll_once(struct pollfd *fds, int64_t nanos)
{
    struct timespec rest = {.tv_sec = nanos / second, .tv_nsec = nanos % second};

    return ppoll(fds, 2, nanos < 0 ? NULL : &rest, NULL);
}

int tf_wait(int fd, int wake_fd, int64_t nanos)
{
    struct pollfd fds[] = {{.fd = fd, .events = POLLIN}, {.fd = wake_fd, .events = POLLIN}};
    int64_t start = now();
    int64_t rest = nanos;
    int ready;

    while ((ready = poll_once(fds, rest)) < 0) {
        if (errno != EINTR)
            return tf_errno();
        rest = nanos < 0 ? nanos : nanos - (now() - start);
        if (nanos >= 0 && rest < 0)
            rest = 0;
    }
    if (ready == 0)
        return 0;
    if (fds[1].revents) {
        uint64_t count;

        /* Another waiter may have reset it first. */
        if (read(wake_fd, &count, sizeof count) < 0 && errno != EAGAIN)
            return tf_errno();
        return 2;
    }
    /* A broken descriptor (POLLERR, POLLHUP) is for the caller's read to report. */
    return 1;
}
