"""Find and check the sources of a newspaper."""
