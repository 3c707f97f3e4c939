"""The frontier: URLs to fetch, leases, retries and the recrawl schedule."""
