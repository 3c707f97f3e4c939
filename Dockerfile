# corpus-spider as an image: docker build -t corpus-spider .
# With a browser for sites with `render = true`: docker build --build-arg CHROMIUM=1 -t corpus-spider .

FROM python:3.13-slim-trixie AS build

ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore
WORKDIR /src
COPY requirements/build.lock requirements/web.lock requirements/render.lock ./requirements/
# Everything is installed by its hash. Without build isolation, a build uses the hashed tools too.
RUN python -m venv /opt/corpus-spider \
    && /opt/corpus-spider/bin/pip install --require-hashes -r requirements/build.lock \
    && /opt/corpus-spider/bin/pip install --no-build-isolation --no-deps --require-hashes -r requirements/web.lock
ARG CHROMIUM=0
RUN if [ "$CHROMIUM" = 1 ]; then \
        /opt/corpus-spider/bin/pip install --no-build-isolation --no-deps --require-hashes -r requirements/render.lock; \
    fi
COPY LICENSE README.md pyproject.toml ./
COPY corpus_spider ./corpus_spider
COPY pipelines ./pipelines
COPY storage ./storage
RUN /opt/corpus-spider/bin/pip install --no-build-isolation --no-deps .

FROM python:3.13-slim-trixie

ARG CHROMIUM=0
# hadolint ignore=DL3008
RUN if [ "$CHROMIUM" = 1 ]; then \
        apt-get update \
        && apt-get install -y --no-install-recommends chromium fonts-noto-core \
        && rm -rf /var/lib/apt/lists/*; \
    fi
RUN useradd --uid 1000 --create-home --shell /usr/sbin/nologin corpus \
    && install -d -o corpus -g corpus -m 0700 /corpus
COPY --from=build /opt/corpus-spider /opt/corpus-spider
COPY --chmod=0755 tools/crawl-nightly /usr/local/bin/crawl-nightly
ENV PATH=/opt/corpus-spider/bin:$PATH PYTHONUNBUFFERED=1
WORKDIR /corpus
USER 1000:1000
# No HEALTHCHECK here: most verbs end by themselves. compose.yaml has one for `serve`.
ENTRYPOINT ["corpus-spider"]
CMD ["--help"]
