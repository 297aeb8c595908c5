#!/bin/sh
# Tests the targets of petcheck.toml on one machine: SHARDS parts, JOBS at a time, merged into reports/.
#
#   SHARDS=8 JOBS=4 examples/one-machine.sh --plan pro
#
# With GNU parallel: seq "$SHARDS" | parallel -j "$JOBS" petcheck --shard "{}/$SHARDS" --seed "$SEED" --reports "$shards/{}"
set -u
SHARDS=${SHARDS:-4} JOBS=${JOBS:-2} SEED=${SEED:-$(date +%s)}

shards=$(mktemp -d)
trap 'rm -rf "$shards"' EXIT
# a failing shard does not stop the others; merge decides
seq "$SHARDS" | xargs -P "$JOBS" -I '{}' \
  petcheck --quiet --shard "{}/$SHARDS" --seed "$SEED" --reports "$shards/{}" "$@" || true
petcheck merge "$shards"/* -o reports
