"""Render pages that scripts fill, in a browser without network access.

The page itself is fetched like any other: robots.txt, delay, guard, capture. A headless Chromium gets its bytes. The
requests of its scripts are passed to the crawl, which makes them (:mod:`corpus_spider.middlewares.render`). The browser
cannot reach the network: no name resolves, and its proxy is a closed port. So scripts obey the rules of the crawl:
robots.txt, public addresses only (resolved once, by us, so a name cannot become private between check and connection),
limits of size and time.

The driver is scrapy-playwright. Its download handler starts driver and browser, creates contexts and pages, and closes
them. The middleware calls it, not the downloader, and in a subclass (:mod:`corpus_spider.rendering.handler`), because
version 0.0.48 has these problems:

- It lets the browser make requests itself (``route.continue_``). It opens a page even if the callback that would set
  other routes fails. Here the subclass handles routes, there is no callback, and a new context refuses every request.
- A page has no time limit: ``DOWNLOAD_TIMEOUT`` is ignored, and ``page.content`` and ``page.close`` may never return.
  With a limit of 5 s, two pages with endless loops blocked a third one for the 74 s of the run. Here one limit covers
  everything, and a browser that does not close is killed.
- A page that crashed a browser is given to the next browser, up to three times. The DOM is serialised before its size
  is known. Here such a page is not repeated, and the DOM is measured first.
- Contexts are never closed. Here each page has its own context, which is closed after it, or its browser is ended.
- A crashed browser is restarted while pages of the old one may still report to it. Errors of its listeners are raised
  by the next call for another page. Here a handler has one browser (:mod:`corpus_spider.rendering.browser`), and such
  errors end with their page.
"""
