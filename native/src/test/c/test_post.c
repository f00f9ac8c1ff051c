/* Packed requests into chains. */
#include "check.h"
#include "shim.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

enum { MANY = 200 };

/* What the stub driver saw, and what it answers. */
static struct {
    uint32_t doorbells;
    uint32_t seen;
    struct ibv_send_wr sends[MANY];
    struct ibv_sge first[MANY];
    uint64_t receives[MANY];
    uint32_t room;
    int error;
    int name_bad;
} driver;

static int stub_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
    (void)qp;
    driver.doorbells++;
    for (; wr; wr = wr->next) {
        if (driver.seen == driver.room) {
            if (driver.name_bad)
                *bad = wr;
            if (driver.error == -1)
                errno = ENOMEM;
            return driver.error;
        }
        driver.sends[driver.seen] = *wr;
        if (wr->num_sge > 0)
            driver.first[driver.seen] = wr->sg_list[0];
        driver.seen++;
    }
    return 0;
}

static int stub_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
    (void)qp;
    driver.doorbells++;
    for (; wr; wr = wr->next) {
        if (driver.seen == driver.room) {
            *bad = wr;
            return driver.error;
        }
        driver.receives[driver.seen++] = wr->wr_id;
    }
    return 0;
}

static int stub_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
    (void)srq;
    return stub_post_recv(NULL, wr, bad);
}

static struct ibv_context context = {
    .ops = {.post_send = stub_post_send, .post_recv = stub_post_recv, .post_srq_recv = stub_post_srq_recv}};
static struct ibv_qp qp = {.context = &context};
static struct ibv_srq srq = {.context = &context};

static void reset(uint32_t room, int error)
{
    memset(&driver, 0, sizeof driver);
    driver.room = room;
    driver.error = error;
    driver.name_bad = 1;
}

/* On the heap with nothing behind it, so that the sanitizer sees a read too far. */
static struct tf_send_request *sends(uint32_t count)
{
    struct tf_send_request *requests = calloc(count, sizeof *requests);

    for (uint32_t i = 0; i < count; i++) {
        requests[i] = (struct tf_send_request){
            .id = 1000 + i,
            .opcode = IBV_WR_RDMA_WRITE,
            .flags = IBV_SEND_SIGNALED,
            .element_count = 1,
            .remote_address = 0xabcdef0000 + i,
            .rkey = 0xfffffff0 + i % 8,
        };
        requests[i].elements[0] = (struct ibv_sge){.addr = 64 * (uint64_t)i, .length = 64, .lkey = 7};
    }
    return requests;
}

static void each_field_arrives(void)
{
    struct tf_send_request *requests = sends(3);
    uint32_t accepted;

    reset(MANY, 0);
    requests[0].immediate = 0x01020304;
    requests[0].opcode = IBV_WR_RDMA_WRITE_WITH_IMM;
    requests[1].element_count = 0;
    requests[2].opcode = IBV_WR_SEND_WITH_INV;
    requests[2].immediate = 0x55;
    CHECK(tf_post_send(&qp, requests, 3, &accepted) == 0);
    CHECK(accepted == 3 && driver.doorbells == 1);
    CHECK(driver.sends[0].wr_id == 1000 && driver.sends[0].send_flags == IBV_SEND_SIGNALED);
    CHECK(driver.sends[0].wr.rdma.remote_addr == 0xabcdef0000 && driver.sends[0].wr.rdma.rkey == 0xfffffff0);
    CHECK(driver.sends[0].imm_data == htonl(0x01020304));
    CHECK(driver.first[0].length == 64 && driver.first[0].lkey == 7);
    CHECK(driver.sends[1].num_sge == 0);
    CHECK(driver.sends[2].invalidate_rkey == 0x55);
    free(requests);
}

static void long_lists_go_out_in_chains(void)
{
    for (uint32_t count = 0; count <= 193; count++) {
        struct tf_send_request *requests = sends(count);
        uint32_t accepted;

        reset(MANY, 0);
        CHECK(tf_post_send(&qp, requests, count, &accepted) == 0);
        CHECK(accepted == count && driver.seen == count && driver.doorbells == (count + 63) / 64);
        for (uint32_t i = 0; i < count; i++)
            CHECK(driver.sends[i].wr_id == 1000 + i && driver.first[i].addr == 64 * (uint64_t)i);
        free(requests);
    }
}

static void a_full_queue_tells_how_many_it_took(void)
{
    static const int answers[] = {ENOMEM, -1, -ENOMEM};
    struct tf_send_request *requests = sends(150);

    for (int way = 0; way < 3; way++) {
        for (uint32_t room = 0; room < 150; room += 7) {
            uint32_t accepted;

            reset(room, answers[way]);
            CHECK(tf_post_send(&qp, requests, 150, &accepted) == ENOMEM);
            CHECK(accepted == room);
        }
    }
    free(requests);
}

static void a_driver_that_names_no_request_took_none_of_its_chain(void)
{
    struct tf_send_request *requests = sends(100);
    uint32_t accepted;

    reset(70, EINVAL);
    driver.name_bad = 0;
    CHECK(tf_post_send(&qp, requests, 100, &accepted) == EINVAL);
    CHECK(accepted == 64);
    free(requests);
}

static void too_many_elements_are_refused_unread(void)
{
    struct tf_send_request *requests = sends(10);
    uint32_t accepted;

    reset(MANY, 0);
    requests[4].element_count = 5;
    CHECK(tf_post_send(&qp, requests, 10, &accepted) == EINVAL);
    CHECK(accepted == 4 && driver.seen == 4);
    requests[0].element_count = UINT32_MAX;
    CHECK(tf_post_send(&qp, requests, 10, &accepted) == EINVAL);
    CHECK(accepted == 0);
    free(requests);
}

static void a_bind_stops_the_chain_and_is_posted_by_itself(void)
{
    struct tf_send_request *requests = sends(70);
    struct tf_send_request *bind = &requests[66];
    struct ibv_mw mw = {.rkey = 0x100};
    struct ibv_mr mr = {.lkey = 9};
    uint32_t accepted;

    bind->opcode = IBV_WR_BIND_MW;
    bind->bind.address = 4096;
    bind->bind.length = 100;
    bind->bind.rkey = 0x101;
    bind->bind.access = IBV_ACCESS_REMOTE_WRITE;
    reset(MANY, 0);
    CHECK(tf_post_send(&qp, requests, 70, &accepted) == TF_BIND_FOLLOWS);
    CHECK(accepted == 66);
    CHECK(tf_post_bind(&qp, bind, &mw, &mr) == 0);
    CHECK(mw.rkey == 0x101);
    CHECK(driver.sends[66].bind_mw.mw == &mw && driver.sends[66].bind_mw.bind_info.mr == &mr);
    CHECK(driver.sends[66].bind_mw.bind_info.addr == 4096 && driver.sends[66].bind_mw.bind_info.length == 100);
    reset(0, ENOMEM);
    bind->bind.rkey = 0x102;
    CHECK(tf_post_bind(&qp, bind, &mw, &mr) == ENOMEM);
    CHECK(mw.rkey == 0x101);
    free(requests);
}

static void an_invalidation_stops_the_chain_and_is_posted_by_itself(void)
{
    struct tf_send_request *requests = sends(3);
    uint32_t accepted;

    requests[1].opcode = IBV_WR_LOCAL_INV;
    requests[1].element_count = 0;
    reset(MANY, 0);
    CHECK(tf_post_send(&qp, requests, 3, &accepted) == TF_INVALIDATION_FOLLOWS);
    CHECK(accepted == 1);
    CHECK(tf_post_invalidation(&qp, &requests[1]) == 0);
    CHECK(driver.sends[1].opcode == IBV_WR_LOCAL_INV && driver.sends[1].wr_id == 1001);
    CHECK(driver.sends[1].invalidate_rkey == 0xfffffff1 && driver.sends[1].num_sge == 0);
    CHECK(driver.sends[1].send_flags == IBV_SEND_SIGNALED);
    reset(0, ENOMEM);
    CHECK(tf_post_invalidation(&qp, &requests[1]) == ENOMEM);
    free(requests);
}

static void receives_go_out_in_chains_too(void)
{
    struct tf_receive_request *requests = calloc(130, sizeof *requests);
    uint32_t accepted;

    for (uint32_t i = 0; i < 130; i++)
        requests[i].id = i;
    reset(MANY, 0);
    CHECK(tf_post_receive(&qp, requests, 130, &accepted) == 0);
    CHECK(accepted == 130 && driver.doorbells == 3 && driver.receives[129] == 129);
    reset(100, ENOMEM);
    CHECK(tf_post_shared(&srq, requests, 130, &accepted) == ENOMEM);
    CHECK(accepted == 100);
    requests[3].element_count = 5;
    reset(MANY, 0);
    CHECK(tf_post_receive(&qp, requests, 130, &accepted) == EINVAL);
    CHECK(accepted == 3);
    free(requests);
}

void test_posts(void)
{
    RUN(each_field_arrives);
    RUN(long_lists_go_out_in_chains);
    RUN(a_full_queue_tells_how_many_it_took);
    RUN(a_driver_that_names_no_request_took_none_of_its_chain);
    RUN(too_many_elements_are_refused_unread);
    RUN(a_bind_stops_the_chain_and_is_posted_by_itself);
    RUN(an_invalidation_stops_the_chain_and_is_posted_by_itself);
    RUN(receives_go_out_in_chains_too);
}
