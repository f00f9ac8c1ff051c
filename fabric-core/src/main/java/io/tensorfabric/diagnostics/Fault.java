package io.tensorfabric.diagnostics;

/**
 * One thing that can go wrong.
 *
 * @param name name in the field's own words, such as {@code RETRY_EXC_ERR} or {@code ENOMEM}
 * @param number number in {@code enum ibv_wc_status} or {@code errno(3)}, -1 for numbers that are not known
 * @param cause what it means, in sentences
 * @param check where to look to make sure, as Markdown
 * @param remedy what to do, in sentences
 */
public record Fault(String name, int number, String cause, String check, String remedy) {}
