"""Health of sites and sources, notification, timer."""
