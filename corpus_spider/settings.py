"""Scrapy settings. :mod:`corpus_spider.addon` applies the values of corpus.toml on top.

Unused features are off. Some are a risk (telnet, remote control, file and ftp handlers). Others cost time in the
reactor: the frontier handles redirects, meta refresh, retries and duplicates (corpus_spider.spiders.news).
"""

BOT_NAME = "corpus-spider"
SPIDER_MODULES = ["corpus_spider.spiders"]
NEWSPIDER_MODULE = "corpus_spider.spiders"
ADDONS = {"corpus_spider.addon.CorpusAddon": 0}

# The order of the stages.
ITEM_PIPELINES = {
    "pipelines.runtime.stages.ArchiveStage": 100,
    "pipelines.runtime.stages.ProcessStage": 200,
    "pipelines.runtime.stages.StoreStage": 300,
}
# Only those of Scrapy's own components that are used. Scrapy imports every component of its lists, also to switch it
# off, which takes half a second at start. And a component of a later version is not on unseen.
EXTENSIONS_BASE = {"scrapy.extensions.closespider.CloseSpider": 0}
DOWNLOADER_MIDDLEWARES_BASE = {
    "scrapy.downloadermiddlewares.downloadtimeout.DownloadTimeoutMiddleware": 350,
    "scrapy.downloadermiddlewares.defaultheaders.DefaultHeadersMiddleware": 400,
    "scrapy.downloadermiddlewares.useragent.UserAgentMiddleware": 500,
    "scrapy.downloadermiddlewares.httpproxy.HttpProxyMiddleware": 750,
}
SPIDER_MIDDLEWARES_BASE: dict[str, int] = {}
DOWNLOAD_HANDLERS_BASE: dict[str, str] = {}
EXTENSIONS = {
    "corpus_spider.extensions.throttle.Throttle": 0,
    "corpus_spider.extensions.capture.CaptureExchanges": 10,
}
DOWNLOADER_MIDDLEWARES = {
    "corpus_spider.middlewares.guard.GuardMiddleware": 10,
    "corpus_spider.middlewares.render.RenderMiddleware": 50,
    "corpus_spider.middlewares.robots.RobotsMiddleware": 100,
    "corpus_spider.middlewares.terms.TermsMiddleware": 110,
    "corpus_spider.middlewares.wire.WireBodyMiddleware": 590,
}
DOWNLOAD_HANDLERS = {
    "http": "corpus_spider.crawling.http_handler.CrawlHandler",
    "https": "corpus_spider.crawling.http_handler.CrawlHandler",
}
TWISTED_DNS_RESOLVER = "corpus_spider.middlewares.guard.GuardedResolver"
TWISTED_REACTOR = "twisted.internet.asyncioreactor.AsyncioSelectorReactor"
DUPEFILTER_CLASS = "scrapy.dupefilters.BaseDupeFilter"

TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False
COOKIES_ENABLED = False
ROBOTSTXT_OBEY = True
HTTPCACHE_ENABLED = False
REDIRECT_ENABLED = False
METAREFRESH_ENABLED = False
RETRY_ENABLED = False
REFERER_ENABLED = False
AJAXCRAWL_ENABLED = False
AUTOTHROTTLE_ENABLED = True
# Half of a host's time: with one request at a time, the delay is twice its latency.
AUTOTHROTTLE_TARGET_CONCURRENCY = 0.5
AUTOTHROTTLE_MAX_DELAY = 60.0
MEMUSAGE_ENABLED = False
DOWNLOAD_VERIFY_CERTIFICATES = True

DOWNLOADER = "corpus_spider.crawling.downloader.PatientDownloader"
# Each DNS lookup takes a thread, which is started when needed. With Scrapy's ten threads, ten names without an answer
# would block all other lookups until their timeout.
REACTOR_THREADPOOL_MAXSIZE = 300
CONCURRENT_REQUESTS = 32
CONCURRENT_REQUESTS_PER_DOMAIN = 1
DOWNLOAD_DELAY = 2.0
DOWNLOAD_DELAY_JITTER = 0
DOWNLOAD_TIMEOUT = 60
# extensions.capture has the size limit: it cuts the body and keeps what came. Scrapy's own discards it.
DOWNLOAD_MAXSIZE = 0
DOWNLOAD_WARNSIZE = 0
# A body that the server cuts short is delivered, archived as truncated and fetched again.
DOWNLOAD_FAIL_ON_DATALOSS = False
# There is one item per response. Scrapy's default of 100 starts a hundred tasks for each response.
CONCURRENT_ITEMS = 1
SCRAPER_SLOT_MAX_ACTIVE_SIZE = 64 * 1024 * 1024

DEFAULT_REQUEST_HEADERS = {
    "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "Accept-Encoding": "gzip, deflate, br, zstd",
}

# The page pipeline has its own counters (pipelines.runtime.page_pipeline).
STATS_CLASS = "scrapy.statscollectors.DummyStatsCollector"
STATS_DUMP = False
LOG_LEVEL = "INFO"
LOG_FORMATTER = "corpus_spider.terminal.logging.QuietLogFormatter"
LOG_FORMAT = "%(asctime)s %(levelname)s %(message)s"
LOG_DATEFORMAT = "%Y-%m-%d %H:%M:%S"
