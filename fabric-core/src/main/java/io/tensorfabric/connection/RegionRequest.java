package io.tensorfabric.connection;

import org.jspecify.annotations.Nullable;

/**
 * The wish for access to a tensor that the answering node published.
 *
 * @param name its name
 * @param checksum the part whose checksum is wanted too; {@code null} for none
 */
public record RegionRequest(String name, @Nullable Part checksum) {

    /**
     * A part of a tensor.
     *
     * @param offset of the first byte
     * @param length in bytes
     */
    public record Part(long offset, long length) {}
}
