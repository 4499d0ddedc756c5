#!/bin/sh
# Stands in the compiler's place (RUSTC_WORKSPACE_WRAPPER): everything that ships is linted while it
# is built. Builds of tests are not, which takes a sixth off a run from nothing; `cargo xtask lint`
# and the nightly run lint them too.
for argument in "$@"; do
  if [ "$argument" = --test ]; then
    exec "$@"
  fi
done
exec clippy-driver "$@" -D warnings
