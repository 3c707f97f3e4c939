"""From bytes to found URLs: links of pages, feeds and sitemaps. Pure, for worker processes and hostile input."""
