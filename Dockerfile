# syntax=docker/dockerfile:1
FROM python:3.11-slim AS build
WORKDIR /src
COPY pyproject.toml README.md CHANGELOG.md LICENSE ./
COPY mockserver ./mockserver
RUN python -m venv /opt/mockserver \
    && /opt/mockserver/bin/pip install --no-cache-dir --no-compile . \
    && /opt/mockserver/bin/python -m compileall -q /opt/mockserver/lib

FROM python:3.11-slim
ENV PATH=/opt/mockserver/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1
RUN useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin mockserver \
    && mkdir /scenarios
COPY --from=build /opt/mockserver /opt/mockserver
USER 10001
WORKDIR /scenarios
# Every *.yaml that is mounted here is loaded at the start. Nothing is ever written.
VOLUME /scenarios
EXPOSE 4242
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=3s --start-period=10s --retries=3 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:4242/_mock/health', timeout=2)"]
# It listens on all addresses, so the control API needs a token: set MOCKSERVER_CONTROL_TOKEN, or read the one that it prints.
ENTRYPOINT ["mockserver"]
CMD ["serve", "--host", "0.0.0.0", "--port", "4242", "--scenario", "/scenarios"]
