package io.tensorfabric.verbs;

/**
 * A copy of one work completion. As {@code ibv_poll_cq(3)} says, after an error only the first three are valid.
 *
 * @param id the work request's
 * @param status status
 * @param queuePairNumber own queue pair
 * @param opcode number of the operation
 * @param length bytes received or read
 * @param immediate immediate, if flagged
 * @param flags flags
 */
record Completion(
        long id, WorkCompletionStatus status, int queuePairNumber, int opcode, int length, int immediate, int flags) {

    static Completion of(WorkCompletions completions, int index) {
        return new Completion(
                completions.id(index),
                completions.status(index),
                completions.queuePairNumber(index),
                completions.opcodeCode(index),
                completions.byteLength(index),
                completions.immediate(index),
                completions.flags(index));
    }

    boolean isOf(WorkCompletionOpcode expected) {
        return opcode == expected.code();
    }

    boolean hasImmediate() {
        return (flags & WorkCompletions.FLAG_WITH_IMMEDIATE) != 0;
    }

    boolean hasInvalidation() {
        return (flags & WorkCompletions.FLAG_WITH_INVALIDATE) != 0;
    }
}
