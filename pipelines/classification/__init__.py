"""Page types and error pages."""
