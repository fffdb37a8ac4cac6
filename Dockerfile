# The course as one image: docker build -t basics-of-transformers . && docker run -p 8000:8000 basics-of-transformers
# --build-arg MODELS=small leaves the downloaded models out; mount a folder at /course/models/downloaded instead.

FROM python:3.13-slim-trixie AS libraries
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PYTHONDONTWRITEBYTECODE=1
WORKDIR /course
RUN python3 -m venv --without-pip /venv && python3 -m venv /tools
COPY requirements.lock ./
RUN /tools/bin/python -m pip --python /venv/bin/python install --quiet --require-hashes -r requirements.lock

# Downloads and converts, with libraries that stay behind in this stage.
FROM libraries AS models
ARG MODELS=full
COPY requirements-fetch.lock ./
RUN [ "$MODELS" = small ] || /tools/bin/python -m pip install --quiet --require-hashes -r requirements-fetch.lock
COPY app ./app
COPY models ./models
RUN mkdir -p models/downloaded \
    && { [ "$MODELS" = small ] || /tools/bin/python -m app.models.fetch --strict; }

FROM python:3.13-slim-trixie
LABEL org.opencontainers.image.title="Basics of Transformers" \
      org.opencontainers.image.licenses="MIT AND CC-BY-4.0"
ENV PATH=/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    OPENBLAS_NUM_THREADS=1 \
    HOST=0.0.0.0 \
    PORT=8000
RUN groupadd --gid 10001 course && useradd --uid 10001 --gid course --no-create-home --shell /usr/sbin/nologin course
WORKDIR /course
COPY --from=libraries /venv /venv
COPY --from=models /course/models ./models
COPY app ./app
COPY lessons ./lessons
COPY templates ./templates
COPY static ./static
COPY README.md LICENSE LICENSE-content ./
USER 10001:10001
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s CMD ["python3", "-c", \
  "import os, urllib.request as r; r.urlopen(f'http://127.0.0.1:{os.environ[\"PORT\"]}/healthz', timeout=4)"]
CMD ["python3", "-m", "app"]
