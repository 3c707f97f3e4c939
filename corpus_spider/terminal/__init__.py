"""Console, progress bars, signals and logging."""
