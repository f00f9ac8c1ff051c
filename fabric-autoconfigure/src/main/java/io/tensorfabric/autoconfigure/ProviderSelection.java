package io.tensorfabric.autoconfigure;

import io.tensorfabric.verbs.VerbsProvider;

/**
 * Which provider is used, and why.
 *
 * @param provider the provider
 * @param reason why it is this one, in a sentence
 * @param fallback whether another one would have been preferred
 * @param surprising whether somebody will wonder about that: a card is there, or should be
 */
record ProviderSelection(VerbsProvider provider, String reason, boolean fallback, boolean surprising) {

    /** One that is as wanted. */
    ProviderSelection(VerbsProvider provider, String reason) {
        this(provider, reason, false, false);
    }
}
