package io.tensorfabric.autoconfigure;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;

/** What a native image needs to know of raw memory and of the verbs shim, which are reached by name. */
final class NativeRuntimeHints implements RuntimeHintsRegistrar {

    private static final String NATIVE_METHODS = "io.tensorfabric.verbs.ibverbs.NativeVerbs";

    private static final String UNSAFE = "sun.misc.Unsafe";

    /** Java's foreign memory, which Java 17 does not have: reached by name from Java 22 on, in place of the above. */
    private static final List<String> FOREIGN = List.of(
            "java.lang.foreign.FunctionDescriptor",
            "java.lang.foreign.Linker",
            "java.lang.foreign.Linker$Option",
            "java.lang.foreign.MemoryLayout",
            "java.lang.foreign.MemorySegment",
            "java.lang.foreign.SymbolLookup",
            "java.lang.foreign.ValueLayout",
            "java.lang.foreign.ValueLayout$OfByte",
            "java.lang.foreign.ValueLayout$OfInt",
            "java.lang.foreign.ValueLayout$OfLong");

    NativeRuntimeHints() {}

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.resources()
                .registerPattern("META-INF/native/**")
                .registerPattern("io/tensorfabric/verbs/ibverbs/native.properties");
        hints.reflection()
                .registerType(
                        TypeReference.of(UNSAFE),
                        MemberCategory.ACCESS_DECLARED_FIELDS,
                        MemberCategory.INVOKE_PUBLIC_METHODS);
        for (String type : FOREIGN) {
            hints.reflection()
                    .registerType(
                            TypeReference.of(type),
                            MemberCategory.ACCESS_PUBLIC_FIELDS,
                            MemberCategory.INVOKE_PUBLIC_METHODS);
        }
        // The library registers its functions when it is loaded, and finds this class by its name.
        hints.jni().registerType(TypeReference.of(NATIVE_METHODS), MemberCategory.INVOKE_DECLARED_METHODS);
    }
}
