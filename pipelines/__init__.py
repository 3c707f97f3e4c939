"""From bytes to clean text: pure functions that run in worker processes and know nothing of network or crawler."""
