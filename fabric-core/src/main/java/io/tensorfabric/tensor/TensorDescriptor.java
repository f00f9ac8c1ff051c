package io.tensorfabric.tensor;

/**
 * What a tensor is, without its bytes.
 *
 * @param name at most {@link #MAX_NAME_BYTES} bytes of UTF-8, possibly empty; any character is allowed, so never use it
 *     as a file name unchecked
 * @param dataType the type of every element
 * @param shape the extents
 */
public record TensorDescriptor(String name, DataType dataType, Shape shape) {

    /** The longest name, in bytes of UTF-8. */
    public static final int MAX_NAME_BYTES = 1024;

    /**
     * Checks the name and that the size in bytes exists.
     *
     * @throws IllegalArgumentException if the name is too long or holds half of a surrogate pair, or if elements overflow
     *     or do not fill whole bytes
     */
    public TensorDescriptor {
        checkName(name);
        dataType.byteLength(shape.elementCount());
    }

    /** The size of the packed elements in bytes. */
    public long byteLength() {
        return dataType.byteLength(shape.elementCount());
    }

    private static void checkName(String name) {
        int bytes = 0;
        for (int i = 0; i < name.length(); ) {
            int codePoint = name.codePointAt(i);
            if (codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE) {
                throw new IllegalArgumentException("Tensor name holds half of a surrogate pair at index " + i);
            }
            bytes += utf8Length(codePoint);
            if (bytes > MAX_NAME_BYTES) {
                throw new IllegalArgumentException("Tensor name of " + name.length() + " characters is longer than "
                        + MAX_NAME_BYTES + " bytes of UTF-8");
            }
            i += Character.charCount(codePoint);
        }
    }

    private static int utf8Length(int codePoint) {
        if (codePoint < 0x80) {
            return 1;
        }
        if (codePoint < 0x800) {
            return 2;
        }
        return codePoint < 0x10000 ? 3 : 4;
    }
}
