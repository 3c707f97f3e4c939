"""Pages that scripts fill, read with a browser that has no network.

The page itself is fetched as every page is: through robots.txt, delay, guard and capture. Its bytes are then given to
a headless Chromium, and whatever its scripts ask for comes to the crawl, which asks in its place
(:mod:`corpus_spider.middlewares.render`). The browser's own way out is shut: no name resolves and its proxy is a closed
port. So what holds for the crawl holds for scripts: robots.txt, public addresses only (resolved once, by us, so that no
name can turn private between check and connection), size and time limits.

Playwright is driven directly, by one adapter (:mod:`corpus_spider.rendering.browser`). scrapy-playwright 0.0.48 was
tried as the driver. Routes set in its ``playwright_page_init_callback`` come before its own, so the browser could be
fed by us, in a second request for each page. What breaks is that

- a callback that raises is logged and the page opened all the same (``_maybe_execute_page_init_callback``), by a route
  that lets the browser ask for itself (``route.continue_``): the guard fails open, and only the closed port holds;
- ``DOWNLOAD_TIMEOUT`` does not hold for it: ``goto`` has Playwright's 30 s, ``page.content`` and ``page.close`` have no
  bound. With a limit of 5 s, two pages that loop once they are loaded kept a third, good one out for the 74 s it ran;
- a browser that is killed for its memory gets the same page three times more (``target_closed_max_retries``, which no
  setting reaches), and the DOM is serialised whole before its size is known;
- it closes no context: one for each page has to be closed from outside, and ``PLAYWRIGHT_MAX_CONTEXTS`` makes all pages
  wait for a place under one lock.

Start, context and ``goto`` are what it would take over, some 40 lines; routes, bounds, memory and snapshot would stay.
"""
