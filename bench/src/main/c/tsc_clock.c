/*
 * Clocks for programs in User-mode Linux, to be preloaded: CLOCK_MONOTONIC and CLOCK_REALTIME out of the processor's time
 * stamp counter, as on any other kernel, where reading a clock does not enter it. In User-mode Linux it does, and that takes
 * as long as posting a request; perftest, the other side of the comparison, reads the counter itself.
 *
 * The counter's rate is measured against the kernel's clock, again and again. The time that is told runs on without a jump
 * and is brought back to the kernel's by a little more or less speed, so that waits which the kernel ends stay right.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

static const int64_t second = 1000000000;

/* Speed is a number of nanoseconds for 2^32 cycles. */
enum { SPEED_BITS = 32 };

/* How often the kernel is asked: soon at first, when the speed is known badly. */
static const int64_t shortest_check = 10000000;
static const int64_t longest_check = 1000000000;

/* What is wrong is made good within this time, at a speed that differs by 1/1000 at most. */
static const int64_t horizon = 200000000;

/* A reading that took longer was interrupted. */
static const int64_t longest_reading = 100000;

static struct {
    _Atomic uint32_t version; /* odd while it changes */
    _Atomic uint64_t cycles;
    _Atomic int64_t monotonic; /* at cycles */
    _Atomic int64_t realtime_ahead;
    _Atomic uint64_t speed;
    _Atomic uint64_t next_check; /* cycles from which on the kernel is asked again */
} line;

static pthread_mutex_t checking = PTHREAD_MUTEX_INITIALIZER;
static uint64_t first_cycles;
static int64_t first_monotonic;
static int64_t check_nanos;
static _Atomic bool ready;

static uint64_t cycles_now(void)
{
    _mm_lfence();
    return __rdtsc();
}

static int64_t ask_kernel(clockid_t clock)
{
    struct timespec time = {0};

    syscall(SYS_clock_gettime, clock, &time);
    return time.tv_sec * second + time.tv_nsec;
}

static int64_t nanos_for(uint64_t cycles, uint64_t speed)
{
    return (int64_t)(((unsigned __int128)cycles * speed) >> SPEED_BITS);
}

static uint64_t speed_of(int64_t nanos, uint64_t cycles)
{
    return (uint64_t)(((unsigned __int128)nanos << SPEED_BITS) / cycles);
}

static uint64_t cycles_for(int64_t nanos, uint64_t speed)
{
    return (uint64_t)(((unsigned __int128)nanos << SPEED_BITS) / speed);
}

/* The kernel's clock, and the cycles at that moment; whether nothing came between. */
static bool read_pair(uint64_t *cycles, int64_t *monotonic, uint64_t speed)
{
    uint64_t before = cycles_now();
    uint64_t after;

    *monotonic = ask_kernel(CLOCK_MONOTONIC);
    after = cycles_now();
    *cycles = before + (after - before) / 2;
    return speed == 0 || nanos_for(after - before, speed) < longest_reading;
}

static int64_t told(uint64_t now)
{
    return line.monotonic + nanos_for(now - line.cycles, line.speed);
}

/* Goes on at another speed from what is told at this moment. */
static void bend(int64_t ahead, uint64_t speed)
{
    uint64_t now;

    atomic_fetch_add(&line.version, 1);
    now = cycles_now();
    line.monotonic = told(now);
    line.cycles = now;
    line.realtime_ahead = ahead;
    line.speed = speed;
    line.next_check = now + cycles_for(check_nanos, speed);
    atomic_fetch_add(&line.version, 1);
}

/* Speed that makes an error good. */
static uint64_t corrected(uint64_t rate, int64_t error)
{
    int64_t most = horizon / 1000;
    int64_t bounded = error > most ? most : error < -most ? -most : error;

    return rate + (uint64_t)((int64_t)(rate >> 8) * bounded / (horizon >> 8));
}

static void check(void)
{
    uint64_t cycles;
    int64_t monotonic;

    if (pthread_mutex_trylock(&checking))
        return;
    if (cycles_now() >= line.next_check && read_pair(&cycles, &monotonic, line.speed)) {
        uint64_t rate = speed_of(monotonic - first_monotonic, cycles - first_cycles);
        int64_t ahead = ask_kernel(CLOCK_REALTIME) - ask_kernel(CLOCK_MONOTONIC);

        check_nanos = check_nanos * 2 < longest_check ? check_nanos * 2 : longest_check;
        bend(ahead, corrected(rate, monotonic - told(cycles)));
    }
    pthread_mutex_unlock(&checking);
}

__attribute__((constructor)) static void begin(void)
{
    uint64_t cycles;
    int64_t monotonic;

    read_pair(&first_cycles, &first_monotonic, 0);
    do {
        read_pair(&cycles, &monotonic, 0);
    } while (monotonic - first_monotonic < shortest_check);
    check_nanos = shortest_check;
    line.cycles = cycles;
    line.monotonic = monotonic;
    line.speed = speed_of(monotonic - first_monotonic, cycles - first_cycles);
    bend(ask_kernel(CLOCK_REALTIME) - ask_kernel(CLOCK_MONOTONIC), line.speed);
    atomic_store(&ready, true);
}

static int64_t read_line(uint64_t *now, int64_t *ahead, uint64_t *next_check)
{
    uint32_t version;
    int64_t nanos;

    do {
        version = atomic_load(&line.version);
        *now = cycles_now();
        nanos = told(*now);
        *ahead = line.realtime_ahead;
        *next_check = line.next_check;
    } while ((version & 1) || version != atomic_load(&line.version));
    return nanos;
}

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *time)
{
    uint64_t now, next_check;
    int64_t nanos, ahead;

    if (!atomic_load_explicit(&ready, memory_order_relaxed) || (clock != CLOCK_MONOTONIC && clock != CLOCK_REALTIME))
        return (int)syscall(SYS_clock_gettime, clock, time);
    nanos = read_line(&now, &ahead, &next_check);
    if (now >= next_check)
        check();
    if (clock == CLOCK_REALTIME)
        nanos += ahead;
    time->tv_sec = nanos / second;
    time->tv_nsec = nanos % second;
    return 0;
}
