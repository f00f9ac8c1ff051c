/* Registers the native methods when Java loads the library. */
#include "jni_native.h"

static int registered(JNIEnv *env, jclass type, const JNINativeMethod *methods, int count)
{
    return (*env)->RegisterNatives(env, type, methods, count) == 0;
}

/* The one look-up of a class, by the loader that loads this library. */
JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, UNUSED void *reserved)
{
    JNIEnv *env;
    jclass type;

    if ((*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_8) != JNI_OK)
        return JNI_ERR;
    type = (*env)->FindClass(env, "io/tensorfabric/verbs/ibverbs/NativeVerbs");
    if (!type)
        return JNI_ERR;
    if (!registered(env, type, tf_device_methods, tf_device_method_count) ||
        !registered(env, type, tf_queue_methods, tf_queue_method_count))
        return JNI_ERR;
    return JNI_VERSION_1_8;
}
