/* Results of libibverbs into handles and -errno. */
#include "check.h"
#include "shim.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

static struct {
    int rc;
    int error;
    struct ibv_qp_attr modified;
    int mask;
    int acknowledged;
    int access;
    int used_iova;
} driver;

static struct ibv_context context;
static struct ibv_pd pd = {.context = &context};
static struct ibv_mr mr;
static struct ibv_qp qp = {.qp_context = (void *)42};

static struct ibv_mr *stub_reg_mr(struct ibv_pd *domain, void *address, size_t length, int access)
{
    (void)domain, (void)address, (void)length;
    driver.access = access;
    driver.used_iova = 0;
    errno = driver.error;
    return driver.error || driver.rc ? NULL : &mr;
}

static struct ibv_mr *stub_reg_mr_iova2(struct ibv_pd *domain, void *address, size_t length, uint64_t iova,
                                        unsigned int access)
{
    CHECK(iova == (uintptr_t)address);
    stub_reg_mr(domain, address, length, (int)access);
    driver.used_iova = 1;
    return &mr;
}

static int stub_dereg_mr(struct ibv_mr *region)
{
    (void)region;
    errno = driver.error;
    return driver.rc;
}

static int stub_modify_qp(struct ibv_qp *pair, struct ibv_qp_attr *attr, int mask)
{
    (void)pair;
    driver.modified = *attr;
    driver.mask = mask;
    return driver.rc;
}

static int stub_query_qp(struct ibv_qp *pair, struct ibv_qp_attr *attr, int mask, struct ibv_qp_init_attr *init)
{
    (void)pair, (void)mask, (void)init;
    *attr = driver.modified;
    return 0;
}

static int stub_get_async_event(struct ibv_context *device, struct ibv_async_event *event)
{
    (void)device;
    errno = driver.error;
    event->event_type = IBV_EVENT_QP_FATAL;
    event->element.qp = &qp;
    return driver.error ? -1 : 0;
}

static void stub_ack_async_event(struct ibv_async_event *event)
{
    CHECK(event->element.qp == &qp);
    driver.acknowledged++;
}

static void reset(int rc, int error)
{
    memset(&driver, 0, sizeof driver);
    driver.rc = rc;
    driver.error = error;
    tf_library.reg_mr = stub_reg_mr;
    tf_library.reg_mr_iova2 = NULL;
    tf_library.reg_dmabuf_mr = NULL;
    tf_library.dereg_mr = stub_dereg_mr;
    tf_library.modify_qp = stub_modify_qp;
    tf_library.query_qp = stub_query_qp;
    tf_library.get_async_event = stub_get_async_event;
    tf_library.ack_async_event = stub_ack_async_event;
}

static void failures_become_negative_errnos(void)
{
    struct ibv_mr *created = NULL;

    reset(0, ENOMEM);
    CHECK(tf_mr_create(&pd, 4096, 4096, IBV_ACCESS_LOCAL_WRITE, &created) == -ENOMEM && !created);
    reset(1, 0);
    CHECK(tf_mr_create(&pd, 4096, 4096, IBV_ACCESS_LOCAL_WRITE, &created) == -EIO && !created);
    reset(EBUSY, 0);
    CHECK(tf_mr_destroy(&mr) == -EBUSY);
    reset(-1, EINVAL);
    CHECK(tf_mr_destroy(&mr) == -EINVAL);
    reset(-EACCES, 0);
    CHECK(tf_mr_destroy(&mr) == -EACCES);
    reset(0, 0);
    CHECK(tf_mr_create(&pd, 4096, 4096, 0, &created) == 0 && created == &mr);
    CHECK(tf_mr_create_dmabuf(&pd, 0, 4096, 0, 3, 0, &created) == -EOPNOTSUPP);
}

static void optional_rights_reach_only_libraries_that_know_them(void)
{
    const int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_RELAXED_ORDERING;
    struct ibv_mr *created;

    reset(0, 0);
    CHECK(tf_mr_create(&pd, 4096, 4096, access, &created) == 0);
    CHECK(driver.access == IBV_ACCESS_LOCAL_WRITE && !driver.used_iova);
    tf_library.reg_mr_iova2 = stub_reg_mr_iova2;
    CHECK(tf_mr_create(&pd, 4096, 4096, access, &created) == 0);
    CHECK(driver.access == access && driver.used_iova);
}

static void attributes_survive_a_round_trip(void)
{
    struct tf_qp_attributes in;
    struct tf_qp_attributes out;
    uint32_t *words = (uint32_t *)&in;

    memset(&in, 0, sizeof in);
    for (size_t i = 0; i < offsetof(struct tf_qp_attributes, gid) / sizeof *words; i++)
        words[i] = (uint32_t)i + 1;
    for (int i = 0; i < 16; i++)
        in.gid[i] = (uint8_t)(200 + i);
    in.state = IBV_QPS_RTR;
    in.path_mtu = IBV_MTU_2048;
    reset(0, 0);
    CHECK(tf_qp_modify(&qp, &in, IBV_QP_STATE | IBV_QP_AV) == 0);
    CHECK(driver.mask == (IBV_QP_STATE | IBV_QP_AV) && driver.modified.ah_attr.port_num == in.port);
    CHECK(tf_qp_query(&qp, &out) == 0);
    in.global = out.global; /* a flag of one byte */
    CHECK(memcmp(&in, &out, sizeof in) == 0);
    reset(ETIMEDOUT, 0);
    CHECK(tf_qp_modify(&qp, &in, IBV_QP_STATE) == -ETIMEDOUT);
}

static void events_are_acknowledged_and_name_their_object(void)
{
    struct tf_async_event event;

    reset(0, EAGAIN);
    CHECK(tf_event_take(&context, &event) == -EAGAIN && driver.acknowledged == 0);
    reset(0, 0);
    CHECK(tf_event_take(&context, &event) == 0 && driver.acknowledged == 1);
    CHECK(event.element == 42 && event.type == IBV_EVENT_QP_FATAL && event.port == 0);
}

/* The driver leaves garbage behind in failed completions: it must pass through unread. */
static int stub_poll_cq(struct ibv_cq *queue, int capacity, struct ibv_wc *wc)
{
    (void)queue;
    CHECK(capacity == 3);
    wc[0] = (struct ibv_wc){.wr_id = 1, .wc_flags = IBV_WC_WITH_IMM, .imm_data = htonl(0x11223344)};
    wc[1] = (struct ibv_wc){.wr_id = 2, .wc_flags = IBV_WC_WITH_INV, .invalidated_rkey = 0x11223344};
    memset(&wc[2], 0xee, sizeof wc[2]);
    return driver.rc < 0 ? driver.rc : 3;
}

static void only_immediates_change_their_byte_order(void)
{
    tf_completion *completions = calloc(3, sizeof *completions);
    struct ibv_cq cq = {.context = &context};

    context.ops.poll_cq = stub_poll_cq;
    reset(0, 0);
    CHECK(tf_cq_poll(&cq, completions, 3) == 3);
    CHECK(completions[0].invalidated_rkey == 0x11223344 && completions[1].invalidated_rkey == 0x11223344);
    reset(-1, 0);
    CHECK(tf_cq_poll(&cq, completions, 3) < 0);
    free(completions);
}

void test_objects(void)
{
    RUN(failures_become_negative_errnos);
    RUN(optional_rights_reach_only_libraries_that_know_them);
    RUN(attributes_survive_a_round_trip);
    RUN(events_are_acknowledged_and_name_their_object);
    RUN(only_immediates_change_their_byte_order);
}
