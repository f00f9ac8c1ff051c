package io.tensorfabric.autoconfigure;

import io.tensorfabric.verbs.VerbsProvider;

/**
 * Which provider is used, and why.
 *
 * @param provider the provider
 * @param reason why it is this one, in a sentence
 * @param fallback whether another one would have been preferred
 */
record ProviderSelection(VerbsProvider provider, String reason, boolean fallback) {}
