# Builds Heddle from this folder and packs it alone: docker build -t heddle .
# Run it:  docker run -p 5678:5678 -v heddle:/var/lib/heddle heddle

FROM rust:1.95-bookworm AS build
# The start image of the JavaScript sandbox and the editor are made of packages that npm brings; Debian's Node is too old for the editor.
COPY --from=node:22-bookworm-slim /usr/local/bin/node /usr/local/bin/node
COPY --from=node:22-bookworm-slim /usr/local/lib/node_modules /usr/local/lib/node_modules
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
WORKDIR /src
COPY . .
RUN cargo run --profile assets --locked --quiet --package assets -- sandbox \
 && cargo run --profile assets --locked --quiet --package assets -- web \
 && cargo build --release --locked --package heddle

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates curl tzdata \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --uid 10001 --home-dir /var/lib/heddle --create-home heddle
COPY --from=build /src/target/release/heddle /usr/local/bin/heddle
USER heddle
WORKDIR /var/lib/heddle
# The data folder lies inside of the volume, not at its top: `heddle restore` puts another folder in its place.
# Whoever opens the set-up link comes from outside of the container; the link has a token that only the log shows.
ENV HEDDLE_DATA=/var/lib/heddle/data \
    HEDDLE_FILES_ROOT=/var/lib/heddle/data/workspace \
    HEDDLE_HOST=0.0.0.0 \
    HEDDLE_REMOTE_SETUP=1 \
    HEDDLE_PORT=5678
VOLUME /var/lib/heddle
EXPOSE 5678
# Longer than the thirty seconds that runs under way are given: docker stop --time 45.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s --retries=3 \
  CMD curl --fail --silent --show-error --output /dev/null "http://127.0.0.1:${HEDDLE_PORT}/healthz/readiness" || exit 1
ENTRYPOINT ["heddle"]
CMD ["serve"]
