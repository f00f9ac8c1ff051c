/*
 * What a C program pays for posting and polling: fills in work requests, posts them as a chain, polls until all are complete
 * and looks at each completion. Prints the nanoseconds of one request, the median of rounds.
 *
 * usage: post_loop BATCH ROUNDS MILLISECONDS
 */
#include <arpa/inet.h>
#include <infiniband/verbs.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST = 64, LOOPS = 64 };

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e9 + time.tv_nsec;
}

static void batch(struct ibv_qp *qp, struct ibv_cq *cq, int count, uint64_t memory)
{
    struct ibv_send_wr wrs[MOST];
    struct ibv_sge elements[MOST];
    struct ibv_wc completions[MOST];
    struct ibv_send_wr *bad;
    int done = 0;

    for (int i = 0; i < count; i++) {
        elements[i] = (struct ibv_sge){.addr = memory + 64 * i, .length = 64, .lkey = 1};
        wrs[i] = (struct ibv_send_wr){
            .wr_id = i,
            .next = i + 1 < count ? &wrs[i + 1] : NULL,
            .sg_list = &elements[i],
            .num_sge = 1,
            .opcode = IBV_WR_RDMA_WRITE,
            .send_flags = IBV_SEND_SIGNALED,
            .wr.rdma = {.remote_addr = memory + 64 * i, .rkey = 1},
        };
    }
    if (ibv_post_send(qp, wrs, &bad))
        exit(2);
    while (done < count) {
        int got = ibv_poll_cq(cq, MOST, completions);

        if (got < 0)
            exit(3);
        for (int i = 0; i < got; i++) {
            if (completions[i].status != IBV_WC_SUCCESS || completions[i].wr_id != (uint64_t)(done + i))
                exit(4);
        }
        done += got;
    }
}

static int ascending(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : 16;
    int rounds = argc > 2 ? atoi(argv[2]) : 5;
    double length = (argc > 3 ? atof(argv[3]) : 200) * 1e6;
    struct ibv_device **list = ibv_get_device_list(NULL);
    struct ibv_context *context = ibv_open_device(list[0]);
    struct ibv_pd *pd = ibv_alloc_pd(context);
    struct ibv_cq *cq = ibv_create_cq(context, 256, NULL, NULL, 0);
    struct ibv_qp_init_attr init = {.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC};
    struct ibv_qp *qp = ibv_create_qp(pd, &init);
    uint64_t memory = (uintptr_t)calloc(MOST, 64);
    double *results = calloc(rounds > 0 ? rounds : 1, sizeof *results);

    if (count < 1 || count > MOST || rounds < 1 || !results)
        return 1;
    for (int round = -1; round < rounds; round++) {
        double start = now(), end = start + length, at;
        uint64_t requests = 0;

        do {
            for (int i = 0; i < LOOPS; i++)
                batch(qp, cq, count, memory);
            requests += (uint64_t)LOOPS * count;
            at = now();
        } while (at < end);
        /* The first one warms up. */
        if (round >= 0)
            results[round] = (at - start) / requests;
    }
    qsort(results, rounds, sizeof *results, ascending);
    printf("%.3f\n", results[(rounds - 1) / 2]);
    return 0;
}
