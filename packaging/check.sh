#!/bin/bash
# Runs an installed dagscope in an empty directory, with nothing else of ours in
# reach: imports a trace, reports, draws, makes an archive, and records a program
# where there is clang.
#
#   check.sh ROOT
set -euo pipefail
root=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here/testdata/starpu/sg-mirage-n12-dmdas/fxt/prof_file_root_0.zst" "$here/read/record/programs/fib.c" "$here/read/record/programs/common.h" "$work"
cd "$work"
dagscope() { HOME=$work TMPDIR=$work "$root/bin/dagscope" "$@"; }

dagscope --version
dagscope import prof_file_root_0.zst -o run.dsr
dagscope report run.dsr >report
grep -q '364 tasks on 12 workers' report
dagscope plot run.dsr -o run.png
dagscope query run.dsr 'SELECT count(*) AS n FROM tasks' --csv | grep -qx 364
dagscope archive run.dsr -o view
[ -s view/index.html ]
dagscope licenses --full | cmp - "$root/share/doc/dagscope/THIRD_PARTY_LICENSES.txt"
for page in "$root"/share/man/man1/dagscope.1*; do [ -s "$page" ]; done
bash -n "$root/share/bash-completion/completions/dagscope"
if cc=$(command -v clang-19 || command -v clang); then
  "$cc" -O2 -fopenmp fib.c -lm -o fib
  dagscope record -o fib.dsr -- ./fib 20 >/dev/null
  dagscope info fib.dsr | grep -q tasks
  echo "imported, reported, drew, archived, recorded: $root"
else
  echo "imported, reported, drew, archived; no clang, so nothing was recorded: $root"
fi
