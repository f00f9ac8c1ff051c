/* STUB of the CUDA driver: initialisation, devices, contexts, errors, settings. */
#define _GNU_SOURCE
#include "stub.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct stub_settings stub_settings = {2, 8L << 30, 1, 1, 1, 1, 1, 0, 1, 64L << 30, 1, 0, 0, 0};
pthread_mutex_t stub_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t stub_engine = PTHREAD_RWLOCK_INITIALIZER;

static bool initialized;
static int visible_count;
static struct {
    int physical;
    int mig;
} visible[MAX_DEVICES];
static char visible_override[512];
static bool has_override;
static struct stub_context primaries[MAX_DEVICES];
static long created_contexts;

enum { MAX_STACK = 64, MAX_RULES = 32, MAX_CALLS = 256 };
static __thread CUcontext stack[MAX_STACK];
static __thread int depth;

static struct {
    char name[64];
    int code;
    long skip;
    long times;
} rules[MAX_RULES];
static struct {
    char name[64];
    long calls;
} counters[MAX_CALLS];

static const char *const error_names[][2] = {
    {"1", "CUDA_ERROR_INVALID_VALUE"},
    {"2", "CUDA_ERROR_OUT_OF_MEMORY"},
    {"3", "CUDA_ERROR_NOT_INITIALIZED"},
    {"100", "CUDA_ERROR_NO_DEVICE"},
    {"101", "CUDA_ERROR_INVALID_DEVICE"},
    {"201", "CUDA_ERROR_INVALID_CONTEXT"},
    {"400", "CUDA_ERROR_INVALID_HANDLE"},
    {"500", "CUDA_ERROR_NOT_FOUND"},
    {"600", "CUDA_ERROR_NOT_READY"},
    {"700", "CUDA_ERROR_ILLEGAL_ADDRESS"},
    {"712", "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED"},
    {"713", "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED"},
    {"801", "CUDA_ERROR_NOT_SUPPORTED"},
    {"999", "CUDA_ERROR_UNKNOWN"},
};

static long *setting(const char *name)
{
    struct stub_settings *s = &stub_settings;
    const struct {
        const char *name;
        long *value;
    } all[] = {
        {"devices", &s->devices},   {"memory", &s->memory},     {"dmabuf", &s->dmabuf},     {"peermem", &s->peermem},
        {"gdr", &s->gdr},           {"vmm", &s->vmm},           {"vmm-rdma", &s->vmm_rdma}, {"ordering", &s->ordering},
        {"flush", &s->flush},       {"bar1", &s->bar1},         {"ipc", &s->ipc},           {"delay-us", &s->delay_us},
        {"copy-mbps", &s->copy_mbps}, {"ipc-self", &s->ipc_self},
    };

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (strcmp(name, all[i].name) == 0)
            return all[i].value;
    }
    return NULL;
}

EXPORT int stub_set(const char *name, long value)
{
    long *slot = setting(name);

    if (!slot)
        return -1;
    *slot = value;
    return 0;
}

/* STUB_CUDA=dmabuf=0,delay-us=100 sets up processes that no test can reach into. */
__attribute__((constructor)) static void configure(void)
{
    const char *text = getenv("STUB_CUDA");
    char copy[512];
    char *rest = copy;
    char *part;

    if (!text)
        return;
    snprintf(copy, sizeof copy, "%s", text);
    while ((part = strsep(&rest, ",")) != NULL) {
        char *value = strchr(part, '=');

        if (value) {
            *value = 0;
            stub_set(part, atol(value + 1));
        }
    }
}

EXPORT void stub_visible(const char *text)
{
    has_override = text != NULL;
    snprintf(visible_override, sizeof visible_override, "%s", text ? text : "");
}

EXPORT void stub_fail(const char *name, int code, long skip, long times)
{
    pthread_mutex_lock(&stub_lock);
    for (int i = 0; i < MAX_RULES; i++) {
        if (!rules[i].name[0] || strcmp(rules[i].name, name) == 0) {
            snprintf(rules[i].name, sizeof rules[i].name, "%s", name);
            rules[i].code = code;
            rules[i].skip = skip;
            rules[i].times = times;
            break;
        }
    }
    pthread_mutex_unlock(&stub_lock);
}

EXPORT long stub_calls(const char *name)
{
    for (int i = 0; i < MAX_CALLS && counters[i].name[0]; i++) {
        if (strcmp(counters[i].name, name) == 0)
            return counters[i].calls;
    }
    return 0;
}

static void count(const char *name)
{
    for (int i = 0; i < MAX_CALLS; i++) {
        if (!counters[i].name[0])
            snprintf(counters[i].name, sizeof counters[i].name, "%s", name);
        if (strcmp(counters[i].name, name) == 0) {
            counters[i].calls++;
            return;
        }
    }
}

CUresult stub_enter(const char *name, bool needs_init)
{
    CUresult result = OK;

    pthread_mutex_lock(&stub_lock);
    count(name);
    for (int i = 0; i < MAX_RULES && rules[i].name[0]; i++) {
        if (strcmp(rules[i].name, name) == 0 && rules[i].times > 0) {
            if (rules[i].skip > 0) {
                rules[i].skip--;
            } else {
                rules[i].times--;
                result = rules[i].code;
            }
        }
    }
    if (result == OK && needs_init && !initialized)
        result = NOT_INITIALIZED;
    pthread_mutex_unlock(&stub_lock);
    return result;
}

void stub_reset_driver(void)
{
    initialized = false;
    memset(rules, 0, sizeof rules);
    memset(counters, 0, sizeof counters);
}

static void uuid_of(int physical, int mig, uint8_t uuid[16])
{
    for (int i = 0; i < 16; i++)
        uuid[i] = (uint8_t)(0x5b + 17 * i + 31 * physical + 101 * (mig + 1));
}

static void uuid_text(int physical, int mig, char *text, size_t size)
{
    uint8_t u[16];

    uuid_of(physical, mig, u);
    snprintf(text, size, "%s-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
             mig >= 0 ? "MIG" : "GPU", u[0], u[1], u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12],
             u[13], u[14], u[15]);
}

EXPORT void stub_uuid(int physical, int mig, char *text, size_t size)
{
    uuid_text(physical, mig, text, size);
}

/* As the real driver: an index, a UUID or the unique beginning of one; the first bad entry ends the list. */
static bool see(const char *entry)
{
    int physical = -1;
    int mig = -1;
    char *end;
    char text[64];

    if (strncmp(entry, "GPU-", 4) == 0 || strncmp(entry, "MIG-", 4) == 0) {
        for (int p = 0; p < stub_settings.devices && physical < 0; p++) {
            for (int m = -1; m < 2 && physical < 0; m++) {
                uuid_text(p, m, text, sizeof text);
                if (strlen(entry) > 4 && strncmp(text, entry, strlen(entry)) == 0) {
                    physical = p;
                    mig = m;
                }
            }
        }
    } else {
        long index = strtol(entry, &end, 10);

        if (end != entry && *end == 0 && index >= 0 && index < stub_settings.devices)
            physical = (int)index;
    }
    if (physical < 0 || visible_count == MAX_DEVICES)
        return false;
    visible[visible_count].physical = physical;
    visible[visible_count].mig = mig;
    visible_count++;
    return true;
}

static void find_devices(void)
{
    const char *list = has_override ? visible_override : getenv("CUDA_VISIBLE_DEVICES");
    char copy[512];
    char *rest = copy;
    char *part;

    visible_count = 0;
    if (!list) {
        for (int i = 0; i < stub_settings.devices && i < MAX_DEVICES; i++) {
            visible[i].physical = i;
            visible[i].mig = -1;
            visible_count++;
        }
        return;
    }
    snprintf(copy, sizeof copy, "%s", list);
    while ((part = strsep(&rest, ",")) != NULL && see(part)) {
    }
}

EXPORT CUresult cuInit(unsigned flags)
{
    CUresult result = stub_enter("cuInit", false);

    if (result != OK)
        return result;
    if (flags)
        return INVALID_VALUE;
    find_devices();
    if (visible_count == 0)
        return NO_DEVICE;
    initialized = true;
    return OK;
}

EXPORT CUresult cuDriverGetVersion(int *version)
{
    *version = 12060;
    return OK;
}

EXPORT CUresult cuGetErrorName(CUresult error, const char **name)
{
    for (size_t i = 0; i < sizeof error_names / sizeof error_names[0]; i++) {
        if (atoi(error_names[i][0]) == error) {
            *name = error_names[i][1];
            return OK;
        }
    }
    *name = NULL;
    return INVALID_VALUE;
}

EXPORT CUresult cuGetErrorString(CUresult error, const char **text)
{
    return cuGetErrorName(error, text);
}

CUresult stub_check_device(CUdevice device)
{
    return device >= 0 && device < visible_count ? OK : INVALID_DEVICE;
}

EXPORT CUresult cuDeviceGetCount(int *count_out)
{
    ENTER(cuDeviceGetCount);
    *count_out = visible_count;
    return OK;
}

EXPORT CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    ENTER(cuDeviceGet);
    if (stub_check_device(ordinal))
        return INVALID_DEVICE;
    *device = ordinal;
    return OK;
}

EXPORT CUresult cuDeviceGetName(char *name, int length, CUdevice device)
{
    ENTER(cuDeviceGetName);
    if (stub_check_device(device))
        return INVALID_DEVICE;
    snprintf(name, (size_t)length, "Stub GPU (no hardware)%s", visible[device].mig >= 0 ? " MIG 1g" : "");
    return OK;
}

EXPORT CUresult cuDeviceGetUuid(uint8_t *uuid, CUdevice device)
{
    ENTER(cuDeviceGetUuid);
    if (stub_check_device(device))
        return INVALID_DEVICE;
    uuid_of(visible[device].physical, visible[device].mig, uuid);
    return OK;
}

EXPORT CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
    ENTER(cuDeviceTotalMem);
    if (stub_check_device(device))
        return INVALID_DEVICE;
    *bytes = (size_t)stub_settings.memory;
    return OK;
}

EXPORT CUresult cuDeviceGetPCIBusId(char *id, int length, CUdevice device)
{
    ENTER(cuDeviceGetPCIBusId);
    if (stub_check_device(device))
        return INVALID_DEVICE;
    snprintf(id, (size_t)length, "0000:%02X:00.0", 0x81 + 0x10 * visible[device].physical);
    return OK;
}

EXPORT CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device)
{
    ENTER(cuDeviceGetAttribute);
    if (stub_check_device(device))
        return INVALID_DEVICE;
    switch (attribute) {
    case 33: *value = 0x81 + 0x10 * visible[device].physical; return OK;
    case 34: *value = 0; return OK;
    case 50: *value = 0; return OK;
    case 75: *value = 9; return OK;
    case 76: *value = 0; return OK;
    case 18: *value = 0; return OK;
    case 41: *value = 1; return OK;
    case 102: *value = stub_settings.vmm != 0; return OK;
    case 110: *value = stub_settings.vmm_rdma != 0; return OK;
    case 116: *value = stub_settings.gdr != 0; return OK;
    case 117: *value = (int)stub_settings.flush; return OK;
    case 118: *value = (int)stub_settings.ordering; return OK;
    case 124: *value = stub_settings.dmabuf != 0; return OK;
    default: *value = 0; return OK;
    }
}

CUcontext stub_current(void)
{
    return depth > 0 ? stack[depth - 1] : NULL;
}

EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    struct stub_context *primary;

    ENTER(cuDevicePrimaryCtxRetain);
    if (stub_check_device(device))
        return INVALID_DEVICE;
    primary = &primaries[device];
    pthread_mutex_lock(&stub_lock);
    primary->primary = true;
    primary->device = device;
    primary->references++;
    pthread_mutex_unlock(&stub_lock);
    *context = primary;
    return OK;
}

EXPORT CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
    CUresult result = OK;

    ENTER(cuDevicePrimaryCtxRelease);
    if (stub_check_device(device))
        return INVALID_DEVICE;
    pthread_mutex_lock(&stub_lock);
    if (primaries[device].references > 0)
        primaries[device].references--;
    else
        result = INVALID_CONTEXT;
    pthread_mutex_unlock(&stub_lock);
    return result;
}

EXPORT CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active)
{
    ENTER(cuDevicePrimaryCtxGetState);
    if (stub_check_device(device))
        return INVALID_DEVICE;
    *flags = 0;
    *active = primaries[device].references > 0;
    return OK;
}

EXPORT CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device)
{
    CUcontext created;

    ENTER(cuCtxCreate);
    (void)flags;
    if (stub_check_device(device) || depth == MAX_STACK)
        return INVALID_DEVICE;
    created = calloc(1, sizeof *created);
    created->device = device;
    created->references = 1;
    created_contexts++;
    stack[depth++] = created;
    *context = created;
    return OK;
}

EXPORT CUresult cuCtxDestroy_v2(CUcontext context)
{
    ENTER(cuCtxDestroy);
    if (!context || context->primary || context->references == 0)
        return INVALID_CONTEXT;
    stub_drain_context(context);
    context->references = 0;
    created_contexts--;
    if (stub_current() == context)
        depth--;
    return OK;
}

EXPORT CUresult cuCtxPushCurrent_v2(CUcontext context)
{
    ENTER(cuCtxPushCurrent);
    if (!context || context->references == 0 || depth == MAX_STACK)
        return INVALID_CONTEXT;
    stack[depth++] = context;
    return OK;
}

EXPORT CUresult cuCtxPopCurrent_v2(CUcontext *context)
{
    ENTER(cuCtxPopCurrent);
    if (depth == 0)
        return INVALID_CONTEXT;
    depth--;
    if (context)
        *context = stack[depth];
    return OK;
}

EXPORT CUresult cuCtxSetCurrent(CUcontext context)
{
    ENTER(cuCtxSetCurrent);
    if (depth > 0)
        depth--;
    if (context)
        stack[depth++] = context;
    return OK;
}

EXPORT CUresult cuCtxGetCurrent(CUcontext *context)
{
    ENTER(cuCtxGetCurrent);
    *context = stub_current();
    return OK;
}

EXPORT CUresult cuCtxGetDevice(CUdevice *device)
{
    ENTER_CONTEXT(cuCtxGetDevice);
    *device = stub_current()->device;
    return OK;
}

EXPORT CUresult cuCtxSynchronize(void)
{
    ENTER_CONTEXT(cuCtxSynchronize);
    stub_drain_context(stub_current());
    return OK;
}

/* How often primary contexts are retained, and how many other contexts there are. */
long stub_contexts(void)
{
    long all = created_contexts;

    for (int i = 0; i < MAX_DEVICES; i++)
        all += primaries[i].references;
    return all;
}
