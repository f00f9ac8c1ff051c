/**
 * Strict reading and reproducible writing of safetensors files and of the index of sharded ones.
 *
 * <p>Format: eight bytes, the header's length N as little-endian integer; N bytes of JSON; then the bytes of all tensors
 * without holes. Rules and limits are those of the reference implementation (github.com/huggingface/safetensors,
 * {@code safetensors/src/tensor.rs}); the reader is stricter where leniency is ambiguous: the same name twice, an entry
 * given as an array. Whatever is wrong with a file is a {@link
 * io.tensorfabric.tensor.safetensors.SafetensorsFormatException}, before any memory is taken for tensors.
 */
@NullMarked
package io.tensorfabric.tensor.safetensors;

import org.jspecify.annotations.NullMarked;
