"""Pages that scripts fill, read with a browser that has no network.

The page itself is fetched as every page is: through robots.txt, delay, guard and capture. Its bytes are then given to
a headless Chromium, and whatever its scripts ask for comes to the crawl, which asks in its place
(:mod:`corpus_spider.middlewares.render`). The browser's own way out is shut: no name resolves and its proxy is a closed
port. So what holds for the crawl holds for scripts: robots.txt, public addresses only (resolved once, by us, so that no
name can turn private between check and connection), size and time limits.

The driver is scrapy-playwright: its download handler starts driver and browser, makes contexts and pages, goes to them
and closes down. It is asked by the middleware, not by the downloader, and in a subclass
(:mod:`corpus_spider.rendering.handler`), since version 0.0.48 as it is

- lets the browser ask for itself (``route.continue_``), and opens a page all the same when the callback that would set
  other routes has raised. Here the handler of routes is ours, there is no callback, and a context refuses everything
  before it has a page;
- has no bound for a page: ``DOWNLOAD_TIMEOUT`` does not hold, ``page.content`` and ``page.close`` may take for ever.
  With a limit of 5 s, two pages that loop once they are loaded kept a third, good one out for the 74 s it ran. Here one
  bound is over all of it, and what does not close then is killed;
- gives a page that has ended a browser to the next one, three times more, and serialises the DOM whole before its size
  is known. Here it gets none, and the DOM is measured first;
- closes no context. Here each page has its own, which is closed after it, or its browser ended;
- starts a browser that is gone once more while pages of the old one may still report to it, and what its listeners
  raise when a page is gone is raised by the next call for another. Here a handler has one browser
  (:mod:`corpus_spider.rendering.browser`), and such errors end with their page.
"""
