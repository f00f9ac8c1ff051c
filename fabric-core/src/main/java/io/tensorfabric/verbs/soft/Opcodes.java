package io.tensorfabric.verbs.soft;

import io.tensorfabric.verbs.Opcode;
import io.tensorfabric.verbs.WorkCompletionOpcode;

/** Numbers of operations for the hot path. */
final class Opcodes {

    static final int RDMA_WRITE = Opcode.RDMA_WRITE.code();
    static final int RDMA_WRITE_WITH_IMM = Opcode.RDMA_WRITE_WITH_IMM.code();
    static final int SEND = Opcode.SEND.code();
    static final int SEND_WITH_IMM = Opcode.SEND_WITH_IMM.code();
    static final int RDMA_READ = Opcode.RDMA_READ.code();
    static final int LOCAL_INV = Opcode.LOCAL_INV.code();
    static final int BIND_MW = Opcode.BIND_MW.code();
    static final int SEND_WITH_INV = Opcode.SEND_WITH_INV.code();

    private static final int LIMIT = SEND_WITH_INV + 1;

    private static final int[] COMPLETIONS = new int[LIMIT];

    private static final byte[] FRAMES = new byte[LIMIT];

    private static final boolean[] KNOWN = new boolean[LIMIT];

    static {
        define(RDMA_WRITE, WorkCompletionOpcode.RDMA_WRITE, Wire.WRITE);
        define(RDMA_WRITE_WITH_IMM, WorkCompletionOpcode.RDMA_WRITE, Wire.WRITE_IMM);
        define(SEND, WorkCompletionOpcode.SEND, Wire.SEND);
        define(SEND_WITH_IMM, WorkCompletionOpcode.SEND, Wire.SEND_IMM);
        define(SEND_WITH_INV, WorkCompletionOpcode.SEND, Wire.SEND_INV);
        define(RDMA_READ, WorkCompletionOpcode.RDMA_READ, Wire.READ);
        define(LOCAL_INV, WorkCompletionOpcode.LOCAL_INV, (byte) 0);
        define(BIND_MW, WorkCompletionOpcode.BIND_MW, (byte) 0);
    }

    private Opcodes() {}

    private static void define(int opcode, WorkCompletionOpcode completion, byte frame) {
        COMPLETIONS[opcode] = completion.code();
        FRAMES[opcode] = frame;
        KNOWN[opcode] = true;
    }

    static boolean isKnown(int opcode) {
        return opcode >= 0 && opcode < LIMIT && KNOWN[opcode];
    }

    /** Number of the operation in a completion. */
    static int completion(int opcode) {
        return COMPLETIONS[opcode];
    }

    /** Type of the frame that carries it. */
    static byte frame(int opcode) {
        return FRAMES[opcode];
    }
}
