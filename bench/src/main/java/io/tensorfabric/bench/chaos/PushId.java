package io.tensorfabric.bench.chaos;

/**
 * A push, unique in a run.
 *
 * @param sender the node that pushes
 * @param generation which start of that node, from 0
 * @param number which push of that start, from 0
 * @param bytes length of the tensor
 */
record PushId(String sender, int generation, long number, long bytes) {

    private static final int PARTS = 4;

    /** The name of the tensor that is pushed. */
    String tensorName() {
        return sender + "." + generation + "." + number + "." + bytes;
    }

    static PushId parse(String tensorName) {
        String[] parts = tensorName.split("\\.", -1);
        if (parts.length != PARTS) {
            throw new IllegalArgumentException("Not the name of a push: " + tensorName);
        }
        return new PushId(parts[0], Integer.parseInt(parts[1]), Long.parseLong(parts[2]), Long.parseLong(parts[3]));
    }

    @Override
    public String toString() {
        return tensorName();
    }
}
