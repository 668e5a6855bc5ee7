package sparse

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"dagscope/internal/testenv"
	"dagscope/predict/workload"
)

// TestNative compares programs with what the real solver (qr_mumps 2.0 with
// StarPU) submitted: kinds, fronts, sizes, flops, priorities, memory, data, and
// the dependencies that the runtime inferred, as reachability.
func TestNative(t *testing.T) {
	for _, file := range testenv.References(t, "data/sparse/native/*/tasks_*.csv.gz") {
		t.Run(filepath.Base(filepath.Dir(file))+"/"+filepath.Base(file), func(t *testing.T) { compareNative(t, file) })
	}
}

// nativePruning is the number of workers for which the traced runs were pruned,
// whatever number ran them.
const nativePruning = 2

func compareNative(t *testing.T, file string) {
	part := regexp.MustCompile(`tasks_(\w+)_nb(\d+)_t(\d+)`).FindStringSubmatch(filepath.Base(file))
	name := filepath.Base(filepath.Dir(file))
	m := goldenMatrix(t, name)
	tall, _ := m.Tall()
	perm, err := ReadPerm(golden(t, "ref", name, part[1], "perm.csv"), tall.Cols)
	if err != nil {
		t.Fatal(err)
	}
	a, err := Analyze(m, perm, Options{NB: int(number(t, part[2])), IB: 32})
	if err != nil {
		t.Fatal(err)
	}
	p, err := a.Program(nativePruning)
	if err != nil {
		t.Fatal(err)
	}
	want := readTable(t, file)
	if len(want) != p.Graph.Tasks() {
		t.Fatalf("%d tasks, want %d", p.Graph.Tasks(), len(want))
	}
	handles := map[string]int32{}
	for i, row := range want {
		compareNativeTask(t, p, int32(i), row)
		compareAccesses(t, p.Graph, int32(i), row["accesses"], handles)
	}
	compareReachability(t, p.Graph, want)
	compareStairs(t, a, readText(t, filepath.Join(filepath.Dir(file), "stair_nb"+part[2]+"_t"+part[3])))
}

// compareStairs compares the staircases: "front: rows rows …" on each line.
func compareStairs(t *testing.T, a *Analysis, want string) {
	t.Helper()
	for line := range strings.Lines(want) {
		front, rows, _ := strings.Cut(strings.TrimSpace(line), ":")
		list, got := strings.Fields(rows), a.FrontStair(int32(number(t, front))-1)
		if len(list) != len(got) {
			t.Fatalf("front %s has %d stairs, want %d", front, len(got), len(list))
		}
		for k := range got {
			if int64(got[k]) != number(t, list[k]) {
				t.Fatalf("front %s has %d rows down to column %d, want %s", front, got[k], k, list[k])
			}
		}
	}
}

func compareNativeTask(t *testing.T, p *Program, i int32, row map[string]string) {
	t.Helper()
	if KindNames[p.Kind(i)] != row["kind"] || int64(p.Front[i])+1 != number(t, row["front"]) ||
		int64(p.I[i]) != number(t, row["i"]) || int64(p.J[i]) != number(t, row["j"]) {
		t.Fatalf("task %d is %s of front %d (%d, %d), want %v", i, KindNames[p.Kind(i)], p.Front[i]+1, p.I[i], p.J[i], row)
	}
	if got := p.Flops(i); got != number(t, row["flops"]) {
		t.Errorf("task %d: %d flops, want %v", i, got, row)
	}
	if int64(p.Graph.Priority[i]) != number(t, row["prio"]) {
		t.Errorf("task %d: priority %d, want %v", i, p.Graph.Priority[i], row)
	}
	if p.Graph.StartBytes[i] != number(t, row["mem_delta_start"]) || p.Graph.EndBytes[i] != number(t, row["mem_delta_end"]) {
		t.Errorf("task %d: memory %d, %d, want %v", i, p.Graph.StartBytes[i], p.Graph.EndBytes[i], row)
	}
	if kind := p.Kind(i); kind == Panel || kind == Update {
		v := p.Parameters(i, nil)
		if int64(v[0]) != number(t, row["MB"]) || int64(v[1]) != number(t, row["NB"]) || int64(v[2]) != number(t, row["BK"]) {
			t.Errorf("task %d: parameters %v, want %v", i, v, row)
		}
	}
}

// compareAccesses wants the same modes of the same data: numbers of handles
// differ, but each stands for one of the other side throughout.
func compareAccesses(t *testing.T, g *workload.Graph, task int32, want string, handles map[string]int32) {
	t.Helper()
	list := strings.Fields(want)
	from, to := g.AccessAt[task], g.AccessAt[task+1]
	if int(to-from) != len(list) {
		t.Fatalf("task %d has %d accesses, want %v", task, to-from, list)
	}
	letter := map[workload.Mode]byte{workload.Read: 'R', workload.ReadWrite: 'W', workload.ReadWrite | workload.Commute: 'C'}
	for k, a := range list {
		h := g.Handle[from+int32(k)]
		if letter[g.Mode[from+int32(k)]] != a[0] {
			t.Fatalf("task %d, access %d: mode %v, want %v", task, k, g.Mode[from+int32(k)], list)
		}
		if known, ok := handles[a[1:]]; ok && known != h {
			t.Fatalf("task %d, access %d: handle %d, want %d (%v)", task, k, h, known, list)
		}
		handles[a[1:]] = h
	}
}

// compareReachability wants the transitive closures of both graphs to be equal.
func compareReachability(t *testing.T, g *workload.Graph, want []map[string]string) {
	t.Helper()
	deps, err := workload.Infer(g)
	if err != nil {
		t.Fatal(err)
	}
	order, err := deps.Topological()
	if err != nil {
		t.Fatal(err)
	}
	n := g.Tasks()
	got := make([][]uint64, deps.Nodes())
	for _, v := range order {
		got[v] = reach(got, v, deps.Preds(v), n)
	}
	native := make([][]uint64, n)
	for i, row := range want {
		var before []int32
		for _, d := range strings.Fields(row["deps"]) {
			v, _ := strconv.Atoi(d)
			before = append(before, int32(v))
		}
		native[i] = reach(native, int32(i), before, n)
	}
	for i := range n {
		for w := range native[i] {
			if got[i][w] != native[i][w] {
				t.Fatalf("task %d (%v): what comes before differs in tasks %d…: %x, want %x", i, want[i], 64*w, got[i][w], native[i][w])
			}
		}
	}
}

// reach is the set of tasks among the first n before v, and v itself.
func reach(sets [][]uint64, v int32, before []int32, n int) []uint64 {
	set := make([]uint64, (n+63)/64)
	if int(v) < n {
		set[v/64] |= 1 << (v % 64)
	}
	for _, u := range before {
		for w, bits := range sets[u] {
			set[w] |= bits
		}
	}
	return set
}
