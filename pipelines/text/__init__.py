"""Normal form, sentences, tokens and fingerprints of a text."""
