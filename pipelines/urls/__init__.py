"""URLs, hosts, spelling variants and robots.txt."""
