/* Native methods on the library, devices and memory. */
#include "jni_native.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LAYOUT_SIZE(type) sizeof(type),
#define LAYOUT_OFFSET(type, field) offsetof(type, field),

static jint native_layout(ARGS, jlong out, jint capacity)
{
    static const int32_t layout[] = {TF_LAYOUT(LAYOUT_SIZE, LAYOUT_OFFSET)};
    const int count = sizeof layout / sizeof layout[0];

    memcpy(POINTER(void, out), layout, (size_t)(capacity < count ? capacity : count) * sizeof layout[0]);
    return count;
}

static jint native_version(ARGS, jlong out, jint size)
{
    return snprintf(POINTER(char, out), size, "%s", TF_VERSION);
}

static jint native_openLibrary(ARGS, jlong text, jint size)
{
    return tf_library_open(POINTER(char, text), size);
}

static jint native_createWake(ARGS)
{
    int fd = -1;
    int rc = tf_wake_create(&fd);

    return rc < 0 ? rc : fd;
}

static jint native_bindThread(ARGS, jlong processors, jint words)
{
    return tf_thread_bind(POINTER(uint64_t, processors), words);
}

static jint native_signalWake(ARGS, jint fd)
{
    return tf_wake_signal(fd);
}

static jint native_closeWake(ARGS, jint fd)
{
    return close(fd) ? tf_errno() : 0;
}

static jint native_listDevices(ARGS, jlong names, jint capacity)
{
    return tf_device_list(POINTER(char, names), capacity);
}

static jlong native_openDevice(ARGS, jlong name)
{
    struct ibv_context *context = NULL;
    int rc = tf_device_open(POINTER(char, name), &context);

    return handle(rc, context);
}

static jint native_closeDevice(ARGS, jlong context)
{
    return tf_device_close(POINTER(struct ibv_context, context));
}

static jint native_queryDevice(ARGS, jlong context, jlong out)
{
    return tf_device_query(POINTER(struct ibv_context, context), POINTER(struct tf_device_attributes, out));
}

static jint native_probeInline(ARGS, jlong context)
{
    return tf_qp_probe_inline(POINTER(struct ibv_context, context));
}

static jint native_queryPort(ARGS, jlong context, jint port, jlong out)
{
    return tf_port_query(POINTER(struct ibv_context, context), port, POINTER(struct tf_port_attributes, out));
}

static jint native_queryGids(ARGS, jlong context, jint port, jint table_length, jlong out, jint capacity)
{
    return tf_gid_query(POINTER(struct ibv_context, context), port, table_length, POINTER(struct tf_gid_entry, out),
                        capacity);
}

static jint native_awaitEvent(ARGS, jlong context, jint wake_fd, jlong nanos, jlong out)
{
    struct ibv_context *device = POINTER(struct ibv_context, context);
    int rc = tf_wait(device->async_fd, wake_fd, nanos);

    if (rc != 1)
        return rc == 0 ? -ETIMEDOUT : rc == 2 ? -EINTR : rc;
    return tf_event_take(device, POINTER(struct tf_async_event, out));
}

static jlong native_createDomain(ARGS, jlong context)
{
    struct ibv_pd *pd = NULL;
    int rc = tf_pd_create(POINTER(struct ibv_context, context), &pd);

    return handle(rc, pd);
}

static jint native_destroyDomain(ARGS, jlong pd)
{
    return tf_pd_destroy(POINTER(struct ibv_pd, pd));
}

static jlong native_createRegion(ARGS, jlong pd, jlong address, jlong length, jint access)
{
    struct ibv_mr *mr = NULL;
    int rc = tf_mr_create(POINTER(struct ibv_pd, pd), address, length, access, &mr);

    return handle(rc, mr);
}

static jlong native_createDmaBufRegion(ARGS, jlong pd, jlong offset, jlong length, jlong iova, jint fd, jint access)
{
    struct ibv_mr *mr = NULL;
    int rc = tf_mr_create_dmabuf(POINTER(struct ibv_pd, pd), offset, length, iova, fd, access, &mr);

    return handle(rc, mr);
}

static jint native_destroyRegion(ARGS, jlong mr)
{
    return tf_mr_destroy(POINTER(struct ibv_mr, mr));
}

static jint native_regionLocalKey(ARGS, jlong mr)
{
    return (jint)POINTER(struct ibv_mr, mr)->lkey;
}

static jint native_regionRemoteKey(ARGS, jlong mr)
{
    return (jint)POINTER(struct ibv_mr, mr)->rkey;
}

static jlong native_createWindow(ARGS, jlong pd)
{
    struct ibv_mw *mw = NULL;
    int rc = tf_mw_create(POINTER(struct ibv_pd, pd), &mw);

    return handle(rc, mw);
}

static jint native_destroyWindow(ARGS, jlong mw)
{
    return tf_mw_destroy(POINTER(struct ibv_mw, mw));
}

static jint native_windowKey(ARGS, jlong mw)
{
    return (jint)POINTER(struct ibv_mw, mw)->rkey;
}

static jint native_openCuda(ARGS)
{
    return tf_cuda_open();
}

static jlong native_exportDmaBuf(ARGS, jlong address, jlong length)
{
    return tf_cuda_export((uint64_t)address, (uint64_t)length);
}

static jint native_closeDmaBuf(ARGS, jint fd)
{
    return close(fd) ? tf_errno() : 0;
}

static jint native_flushGpuWrites(ARGS)
{
    return tf_cuda_flush();
}

const JNINativeMethod tf_device_methods[] = {
    METHOD(layout, "(JI)I"),
    METHOD(version, "(JI)I"),
    METHOD(openLibrary, "(JI)I"),
    METHOD(createWake, "()I"),
    METHOD(signalWake, "(I)I"),
    METHOD(bindThread, "(JI)I"),
    METHOD(closeWake, "(I)I"),
    METHOD(listDevices, "(JI)I"),
    METHOD(openDevice, "(J)J"),
    METHOD(closeDevice, "(J)I"),
    METHOD(queryDevice, "(JJ)I"),
    METHOD(probeInline, "(J)I"),
    METHOD(queryPort, "(JIJ)I"),
    METHOD(queryGids, "(JIIJI)I"),
    METHOD(awaitEvent, "(JIJJ)I"),
    METHOD(createDomain, "(J)J"),
    METHOD(destroyDomain, "(J)I"),
    METHOD(createRegion, "(JJJI)J"),
    METHOD(createDmaBufRegion, "(JJJJII)J"),
    METHOD(destroyRegion, "(J)I"),
    METHOD(regionLocalKey, "(J)I"),
    METHOD(regionRemoteKey, "(J)I"),
    METHOD(createWindow, "(J)J"),
    METHOD(destroyWindow, "(J)I"),
    METHOD(windowKey, "(J)I"),
    METHOD(openCuda, "()I"),
    METHOD(exportDmaBuf, "(JJ)J"),
    METHOD(closeDmaBuf, "(I)I"),
    METHOD(flushGpuWrites, "()I"),
};

const int tf_device_method_count = sizeof tf_device_methods / sizeof tf_device_methods[0];
