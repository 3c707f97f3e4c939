"""One crawl run: dispatcher, retry policy, HTTP."""
