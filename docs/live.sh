#!/usr/bin/env bash
# Makes the pictures of docs/serve.md again: the live view of a bundled run in a
# browser without a window. Wants what the tests of the live view want
# (make tools): Chromium.
set -euo pipefail
cd "$(dirname "$0")/../web/e2e"

DAGSCOPE_PICTURES=$(cd ../../docs/img && pwd) DAGSCOPE_REQUIRE=chromium go test -count=1 -run '^TestPictures$' .
