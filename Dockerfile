# An image with the windlass program only. Build it with: docker build -t windlass .
FROM debian:12 AS build
WORKDIR /src
COPY . .
RUN ./dev build windlass

FROM debian:12-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates libfmt9 libjemalloc2 libnghttp2-14 libsimdjson14 libssl3 libsqlite3-0 libyaml-0-2 \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /src/build/release/windlass /usr/local/bin/windlass
USER 65532:65532
ENTRYPOINT ["/usr/local/bin/windlass"]
