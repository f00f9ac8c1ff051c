package io.tensorfabric.autoconfigure.negotiation;

import java.lang.reflect.RecordComponent;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Checks that a record from the wire is complete: nothing is null but what its type allows, and lists are short. */
final class RecordChecks {

    /** Far above what a connection has: lanes and zones are a few dozen at most. */
    static final int MAX_ELEMENTS = 1024;

    private RecordChecks() {}

    /** Refuses an incomplete record. */
    static void requireComplete(Record value) {
        check(value, "");
    }

    private static void check(Object value, String path) {
        if (value instanceof List<?> list) {
            checkList(list, path);
        } else if (value instanceof Record item) {
            for (RecordComponent component : item.getClass().getRecordComponents()) {
                checkComponent(
                        item, component, path.isEmpty() ? component.getName() : path + "." + component.getName());
            }
        }
    }

    private static void checkList(List<?> list, String path) {
        if (list.size() > MAX_ELEMENTS) {
            throw NegotiationProblem.malformed("Field '" + path + "' holds more than " + MAX_ELEMENTS + " elements.");
        }
        for (int index = 0; index < list.size(); index++) {
            Object element = list.get(index);
            if (element == null) {
                throw missing(path + "[" + index + "]");
            }
            check(element, path + "[" + index + "]");
        }
    }

    private static void checkComponent(Record owner, RecordComponent component, String path) {
        Object value = read(owner, component);
        if (value != null) {
            check(value, path);
        } else if (!component.getAnnotatedType().isAnnotationPresent(Nullable.class)) {
            throw missing(path);
        }
    }

    private static @Nullable Object read(Record owner, RecordComponent component) {
        try {
            return component.getAccessor().invoke(owner);
        } catch (ReflectiveOperationException ex) {
            throw new IllegalStateException("Cannot read " + component.getName(), ex);
        }
    }

    private static NegotiationProblem missing(String path) {
        return NegotiationProblem.malformed("Field '" + path + "' is missing or null.");
    }
}
