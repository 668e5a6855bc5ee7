#!/usr/bin/env bash
# Native against predicted on this machine: calibrates the kernels of a sparse QR
# factorization, executes its tasks with OpenMP and LAPACK, and predicts the same
# from the matrix and the models alone. Writes a table: see calibrate.md.
#
#   docs/sparse-native.sh M.mtx 'WORKERS…' > native.csv
#
# In the environment: NB, IB (128, 32), ORDERING (colamd), WEIGHTS (relative),
# PRUNE (8: workers that the tree is pruned for), POINTS (300), REPEAT (3),
# OVERHEAD_US (0: of each task), CC, LIBS (gcc, -lopenblas), DAGSCOPE, KEEP (a
# directory for models, timings, runs and the figure of residuals).
set -euo pipefail

[ $# -eq 2 ] || { echo "usage: $0 M.mtx 'WORKERS…'" >&2; exit 2; }
matrix=$(realpath "$1") here=$(dirname "$(realpath "$0")")
dagscope=${DAGSCOPE:-$(command -v dagscope || echo "$here/../bin/dagscope")}
command -v "$dagscope" > /dev/null || { echo "$0: found no $dagscope, want dagscope in PATH, or DAGSCOPE=FILE" >&2; exit 1; }
nb=${NB:-128} ib=${IB:-32} ordering=${ORDERING:-colamd}
scratch=${KEEP:-$(mktemp -d)}
mkdir -p "$scratch"
[ -n "${KEEP:-}" ] || trap 'rm -rf "$scratch"' EXIT
factorization=(--ordering "$ordering" --nb "$nb" --ib "$ib")
export OMP_MAX_TASK_PRIORITY=2147483647 OMP_PROC_BIND=${OMP_PROC_BIND:-true}

${CC:-gcc} -O2 -fopenmp "$here/examples/qrtasks.c" -o "$scratch/qrtasks" ${LIBS:--lopenblas} -lm

# makespan prints that of a table of tasks, s, and wall by CPU time of its tasks.
makespan() {
  awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; first = 1e300; next }
    { s = $c["start"]; e = $c["end"]; if (s < first) first = s; if (e > last) last = e; wall += e - s; cpu += $c["cpu"] }
    END { printf "%.6f %.4f\n", last - first, wall / cpu }' "$1"
}

# predicted prints the makespan of a simulation, s.
predicted() { "$dagscope" simulate "$@" --no-run --json | awk '/"makespan_ns"/ { gsub(/[^0-9]/, "", $2); printf "%.6f\n", $2 / 1e9; exit }'; }

workers=$2 prune=${PRUNE:-8}
"$dagscope" sparse analyze "$matrix" "${factorization[@]}" --workers "$prune" --tasks "$scratch/program.csv" > "$scratch/analysis.txt"
tasks=$(($(wc -l < "$scratch/program.csv") - 1))

echo run,workers,tasks,native_s,wall_over_cpu,predicted_s,error_percent,replayed_s,models_error_percent
for ((run = 1; run <= ${REPEAT:-3}; run++)); do
  for p in $workers; do
    dir=$scratch/run$run-$p threads=1
    mkdir -p "$dir"
    [ "$p" -eq 1 ] || threads=1,$p
    # Back to back: a machine that others use is not the same a minute later.
    "$dagscope" calibrate kernels --measure --matrix "$matrix" "${factorization[@]}" --workers "$prune" --threads "$threads" --seed "$run" \
      --points "${POINTS:-300}" --weights "${WEIGHTS:-relative}" --timings "$dir/timings.csv" --plot "$dir/residuals.png" -o "$dir/kernels.yaml" > "$dir/kernels.txt"
    OMP_NUM_THREADS=$p "$scratch/qrtasks" "$scratch/program.csv" "$ib" > "$dir/native.csv" 2> "$dir/log"
    read -r native disturbed < <(makespan "$dir/native.csv")

    # From the matrix and the models alone.
    cat > "$dir/spec.yaml" <<SPEC
workload: {kind: sparse-qr, matrix: $matrix, ordering: $ordering, nb: $nb, ib: $ib, prune_for: $prune}
platform: {cpus: $p}
models: {file: kernels.yaml}
scheduler: prio
options: {overhead_us: ${OVERHEAD_US:-0}}
SPEC
    guess=$(predicted "$dir/spec.yaml")

    # The native run again, each task as long as it had the processor: what it would
    # have taken undisturbed.
    awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i } NR > 1 { $c["end"] = sprintf("%.9f", $c["start"] + $c["cpu"]) } { print }' "$dir/native.csv" > "$dir/undisturbed.csv"
    cat > "$dir/replay.yaml" <<SPEC
workload: {file: undisturbed.csv}
platform: {cpus: $p}
scheduler: prio
options: {overhead_us: ${OVERHEAD_US:-0}}
SPEC
    replay=$(predicted "$dir/replay.yaml")
    awk -v run="$run" -v p="$p" -v n="$tasks" -v t="$native" -v d="$disturbed" -v g="$guess" -v r="$replay" \
      'BEGIN { printf "%d,%d,%d,%s,%s,%s,%.1f,%s,%.1f\n", run, p, n, t, d, g, 100 * (g / t - 1), r, 100 * (g / r - 1) }'
  done
done
