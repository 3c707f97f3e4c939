"""Pages that scripts fill, read with a browser that has no network.

The page itself is fetched as every page is: through robots.txt, delay, guard and capture. Its bytes are then given to
a headless Chromium, and whatever its scripts ask for comes to the crawl, which asks in its place
(:mod:`corpus_spider.middlewares.render`). The browser's own way out is shut: no name resolves and its proxy is a closed
port. So what holds for the crawl holds for scripts: robots.txt, public addresses only (resolved once, by us, so that no
name can turn private between check and connection), size and time limits.

Playwright is driven directly, by one adapter (:mod:`corpus_spider.rendering.browser`). scrapy-playwright puts the
browser in the downloader's place: the browser would fetch, and the bytes of the wire, the guard of resolved addresses
and robots.txt for what scripts ask for would be lost.
"""
