"""Site locks."""
