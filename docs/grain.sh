#!/usr/bin/env bash
# Runs an OpenMP program over numbers of threads and task grains and writes a
# table of where the time went: see grain.md.
#
#   docs/grain.sh 'THREADS…' 'GRAINS…' PROGRAM ARGUMENTS… > grain.csv
#
# Each GRAIN stands for the word GRAIN among the arguments (and is in the
# environment as GRAIN). REPEAT=3 runs each pair three times, one after the other
# through the whole table, so that what disturbs the machine for a while does not
# hit one pair alone.
set -euo pipefail

[ $# -ge 3 ] || { echo "usage: $0 'THREADS…' 'GRAINS…' PROGRAM ARGUMENTS…" >&2; exit 2; }
threads=$1 grains=$2
shift 2
program=${DAGSCOPE:-dagscope}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# field prints a number of a section of a report: its line is "KEY": NUMBER,
field() {
  awk -v section="  \"$1\": {" -v key="    \"$2\":" '
    $0 == section { inside = 1 }
    inside && index($0, key) == 1 { sub(/,$/, ""); print $2; exit }' "$scratch/report.json"
}

echo threads,grain,time_ns,work_ns,idleness_ns,overhead_ns,implicit_ns,parallel_ns,tasks,class
for ((run = 1; run <= ${REPEAT:-1}; run++)); do
  for t in $threads; do
    for g in $grains; do
      echo "run $run: $t threads, grain $g" >&2
      GRAIN=$g OMP_NUM_THREADS=$t "$program" record -o "$scratch/run.dsr" -- "${@//GRAIN/$g}" > /dev/null 2> "$scratch/log" ||
        { code=$?; cat "$scratch/log" >&2; echo "$0: recording ended with code $code: that of the program, if nothing else is said above" >&2; exit 1; }
      "$program" report "$scratch/run.dsr" --roi parallel --json > "$scratch/report.json"
      work=$(field breakdown work_ns) idle=$(field breakdown idleness_ns) over=$(field breakdown overhead_ns)
      from=$(field breakdown from_ns) to=$(field breakdown to_ns)
      tasks=$(awk '/^  "tasks":/ { sub(/,$/, ""); print $2; exit }' "$scratch/report.json")
      echo "$t,$g,$((work + idle + over)),$work,$idle,$over,$(field breakdown work_implicit_ns),$((to - from)),$tasks,$(field breakdown class | tr -d '"')"
      rm -rf "$scratch/run.dsr"
    done
  done
done
