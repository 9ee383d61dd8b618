# syntax=docker/dockerfile:1
FROM python:3.14-slim AS dependencies
RUN apt-get update -q \
    && apt-get install -qy --no-install-recommends binutils \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY pyproject.toml ./
# Extras of pyproject.toml that the image has.
ARG EXTRAS="fast otel mcp"
# The environment of the image without pip, and one to build the package with: code that changes downloads nothing.
# A third of what wheels have is what their libraries were compiled from, and symbols for debuggers.
RUN python -m venv --without-pip /opt/mockserver \
    && python -m venv /opt/build \
    && /opt/build/bin/python -c "import tomllib; toml = tomllib.load(open('pyproject.toml', 'rb')); \
        extras = [row for extra in '$EXTRAS'.split() for row in toml['project']['optional-dependencies'][extra]]; \
        print(*toml['project']['dependencies'], *extras, sep='\n', file=open('run.txt', 'w')); \
        print(*toml['build-system']['requires'], sep='\n', file=open('build.txt', 'w'))" \
    && /opt/build/bin/pip install --no-cache-dir -r build.txt \
    && /opt/build/bin/pip --python /opt/mockserver/bin/python install --no-cache-dir --no-compile --only-binary :all: -r run.txt \
    && find /opt/mockserver -regextype egrep -regex '.*\.(pyx|pxd|pyi|c|h)' -delete \
    && find /opt/mockserver -name '*.so*' -type f -exec strip --strip-unneeded {} + \
    && /opt/mockserver/bin/python -m compileall -q --invalidation-mode unchecked-hash /opt/mockserver/lib

FROM dependencies AS package
COPY README.md CHANGELOG.md LICENSE ./
COPY mockserver ./mockserver
COPY docs ./docs
RUN /opt/build/bin/pip wheel --no-deps --no-build-isolation --no-index --wheel-dir /dist . \
    && /opt/build/bin/pip --python /opt/mockserver/bin/python install --no-deps --no-index --no-compile --root /package /dist/*.whl \
    && /opt/mockserver/bin/python -m compileall -q --invalidation-mode unchecked-hash /package

FROM python:3.14-slim
# The server needs no installer, and scanners report those that are there.
RUN rm -rf /usr/local/lib/python3*/site-packages/pip* /usr/local/lib/python3*/site-packages/setuptools* /usr/local/bin/pip* \
    && mkdir /scenarios /state \
    && chown 10001:10001 /state
COPY --from=dependencies /opt/mockserver /opt/mockserver
COPY --from=package /package /
# Every option is a variable. In a container a server listens on all addresses, so its control API needs a token: set
# MOCKSERVER_CONTROL_TOKEN, or read the one that it prints. Every *.yaml in /scenarios is loaded at the start.
ENV PATH=/opt/mockserver/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    MOCKSERVER_HOST=0.0.0.0 \
    MOCKSERVER_PORT=4242 \
    MOCKSERVER_SCENARIOS=/scenarios \
    XDG_STATE_HOME=/state
# Nothing is written but the authority of --tls, to /state: the root may be read-only.
USER 10001:10001
WORKDIR /scenarios
EXPOSE 4242
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=3s --start-period=10s --retries=3 CMD ["mockserver", "healthcheck"]
ENTRYPOINT ["mockserver"]
CMD ["serve"]
