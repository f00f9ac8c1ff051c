/*
 * What the native methods of NativeVerbs share: primitives in, handles and -errno out. No Java object is touched and no
 * exception thrown; Java knows that handles are live and addresses point to structures of layout.h.
 */
#ifndef TF_JNI_NATIVE_H
#define TF_JNI_NATIVE_H

#include "shim.h"

#include <jni.h>

#define UNUSED __attribute__((unused))
#define POINTER(type, value) ((type *)(uintptr_t)(value))
#define ARGS UNUSED JNIEnv *env, UNUSED jclass type
#define METHOD(name, signature) {(char *)#name, (char *)(signature), (void *)native_##name}

extern const JNINativeMethod tf_device_methods[];
extern const int tf_device_method_count;
extern const JNINativeMethod tf_queue_methods[];
extern const int tf_queue_method_count;

/* Addresses of user space are positive as a jlong, so a negative value is an error. */
static inline jlong handle(int rc, const void *created)
{
    return rc < 0 ? rc : (jlong)(uintptr_t)created;
}

#endif
