#!/bin/bash
# Makes a release twice, in two places and with two caches of the compiler, and
# compares every byte.
#
#   reproducible.sh VERSION OUT
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p "$2"
out=$(cd "$2" && pwd)
elsewhere=$(mktemp -d)
trap 'rm -rf "$elsewhere"' EXIT
packaging/release.sh "$1" "$out/first"
# Another path of the repository too, and other files in the way of its own.
git clone --quiet --no-hardlinks . "$elsewhere/a longer path/dagscope"
(cd "$elsewhere/a longer path/dagscope" && GOCACHE=$elsewhere/cache packaging/release.sh "$1" "$elsewhere/second")
(cd "$out/first" && sha256sum SHA256SUMS)
(cd "$elsewhere/second" && sha256sum SHA256SUMS)
diff "$out/first/SHA256SUMS" "$elsewhere/second/SHA256SUMS"
for file in "$out"/first/*; do cmp "$file" "$elsewhere/second/${file##*/}"; done
echo "reproducible: $(wc -l <"$out/first/SHA256SUMS") files, the same bytes"
