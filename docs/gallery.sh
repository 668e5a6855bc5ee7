#!/usr/bin/env bash
# Makes the pictures of docs/ again. The pages are the script: of every block of
# code in gallery.md and panels/*.md the lines that begin with "dagscope" are run,
# in the root of the repository. Every run is bundled or simulated on the way.
set -euo pipefail
cd "$(dirname "$0")/.."

program=${DAGSCOPE:-bin/dagscope}

# commands prints the commands of a page, one a line.
commands() {
  awk '/^```/ { inside = !inside; next }
       inside && (more || /^dagscope /) {
         more = sub(/ *\\$/, "")
         sub(/^ +/, " ")
         printf "%s%s", $0, more ? "" : "\n"
       }' "$1"
}

mkdir -p build docs/img
for page in docs/gallery.md docs/panels/*.md; do
  while IFS= read -r line; do
    eval "words=($line)" # the quotes of the page are those of a shell
    "$program" "${words[@]:1}" >/dev/null || { echo "failed, in $page: $line" >&2; exit 1; }
  done < <(commands "$page")
done
