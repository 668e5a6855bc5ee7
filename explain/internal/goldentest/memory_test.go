package goldentest

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dagscope/explain/internal/golden"
	"dagscope/explain/memory"
	"dagscope/explain/schedule"
	"dagscope/internal/interval"
	"dagscope/internal/testenv"
	"dagscope/read"
	"dagscope/trace"
)

// addresses maps the addresses of a table to handles of the run: by themselves,
// or, where the run was made again at other addresses, by their order, which is
// that of the blocks.
func addresses(t *testing.T, run *trace.Run, want golden.Table, column string, named func(handle int32) bool) map[string]map[int32]int32 {
	t.Helper()
	h := &run.Handle
	of := map[string]map[int32]int32{}
	put := func(key string, row int32) {
		if of[key] == nil {
			of[key] = map[int32]int32{}
		}
		of[key][h.Node[row]] = row
	}
	for i := range h.Node {
		if named(int32(i)) {
			put(h.Key.At(i), int32(i))
		}
	}
	if want.Len() == 0 || of[want.Text(0, column)] != nil {
		return of
	}
	var theirs []string
	for i := range want.Len() {
		theirs = append(theirs, want.Text(i, column))
	}
	slices.Sort(theirs)
	theirs = slices.Compact(theirs)
	var ours []int32
	for i := range h.Node {
		if named(int32(i)) {
			ours = append(ours, int32(i))
		}
	}
	slices.SortFunc(ours, func(a, b int32) int { return cmp.Compare(h.Key.At(int(a)), h.Key.At(int(b))) })
	if len(ours) != len(theirs) {
		t.Fatalf("%d handles, want %d", len(ours), len(theirs))
	}
	first := func(s string) int64 { n, _ := strconv.ParseInt(s, 16, 64); return n }
	for i, row := range ours {
		put(theirs[i], row)
		if first(theirs[i])-first(theirs[0]) != first(h.Key.At(int(row)))-first(h.Key.At(int(ours[0]))) {
			t.Fatalf("handle %s does not lie where %s does", h.Key.At(int(row)), theirs[i])
		}
	}
	return of
}

func managers(run *trace.Run) map[string]int32 {
	of := map[string]int32{}
	for _, p := range memory.Places(run) {
		of[run.Resource.Name.At(int(p))] = p
	}
	return of
}

// TestHandlesPresence compares the residency in StarVZ's convention.
func TestHandlesPresence(t *testing.T) {
	each(t, func(t *testing.T, name string, run *trace.Run) {
		want, got := csv(t, name, "handles_presence"), memory.Stays(run, memory.StarVZ)
		named := func(h int32) bool { from, to := got.Of(h); return to > from }
		handle, place := addresses(t, run, want, "Value", named), managers(run)
		type stay struct {
			handle, place int32
			state         memory.State
			start, end    int64
		}
		left := map[stay]int{}
		for i := range got.Handle {
			left[stay{got.Handle[i], got.Place[i], got.State[i], got.Start[i], got.End[i]}]++
		}
		states := map[string]memory.State{"data state owner": memory.Owner, "data state shared": memory.Shared}
		bad := 0
		for i := range want.Len() {
			p := place[want.Text(i, "Container")]
			s := stay{handle[want.Text(i, "Value")][run.Resource.Node[p]], p, states[want.Text(i, "Type")], ns(want, i, "Start"), ns(want, i, "End")}
			if left[s]--; left[s] < 0 && bad < 10 {
				bad++
				t.Errorf("row %d: no stay %+v", i, s)
			}
		}
		if got.Len() != want.Len() {
			t.Errorf("%d stays, want %d", got.Len(), want.Len())
		}
		t.Logf("%d stays", got.Len())
	})
}

// TestMemoryState compares allocations and the like in StarVZ's convention.
func TestMemoryState(t *testing.T) {
	for _, name := range []string{"lu_trace", "sg-mirage-n12-dmdas", "sg-mirage-n60-dmdas"} {
		t.Run(name, func(t *testing.T) {
			run, want := load(t, name), csv(t, name, "memory_state")
			a := memory.FindActions(run)
			ends := a.EndsAsStarVZ()
			named := make([]bool, len(run.Handle.Node))
			kinds := map[string]string{"Allocating": memory.Allocating, "Allocating Async": memory.AllocatingReuse, "Free": memory.Freeing}
			type action struct {
				handle, place int32
				kind          string
				start, end    int64
				bytes         int64
			}
			left, n := map[action]int{}, 0
			for i, h := range a.Handle {
				switch kind := a.Kind.At(i); kind {
				case memory.Allocating, memory.AllocatingReuse, memory.Freeing:
					if h >= 0 {
						named[h] = true
					}
					left[action{h, a.Place[i], kind, a.Start[i], ends[i], a.Bytes[i]}]++
					n++
				}
			}
			handle, place := addresses(t, run, want, "Handle", func(h int32) bool { return named[h] }), managers(run)
			bad := 0
			for i := range want.Len() {
				p := place[want.Text(i, "Container")]
				h, ok := handle[want.Text(i, "Handle")][run.Resource.Node[p]]
				if !ok {
					h = trace.None
				}
				x := action{h, p, kinds[want.Text(i, "Type")], ns(want, i, "Start"), ns(want, i, "End"), int64(want.Number(i, "Size"))}
				if left[x]--; left[x] < 0 && bad < 10 {
					bad++
					t.Errorf("row %d: no action %+v", i, x)
				}
			}
			if n != want.Len() {
				t.Errorf("%d actions, want %d", n, want.Len())
			}
		})
	}
}

// pair is a line of StarPU's own account of transfers.
var pair = regexp.MustCompile(`(NUMA|CUDA|OpenCL|Disk) (\d+) -> (NUMA|CUDA|OpenCL|Disk) (\d+)\s+([0-9.]+) GB.*transfers : (\d+)`)

// beyond are the transfers that StarPU counted though they end after the trace,
// by run and pair of memories: the last result, which goes back to RAM when the
// application asks for it.
var beyond = map[string]int64{
	"sg-attila-n30-dmda 3 0":         1,
	"sg-mirage-n12-dmda 1 0":         1,
	"sg-mirage-n12-dmdar 1 0":        1,
	"sg-mirage-n12-dmdas 1 0":        1,
	"sg-mirage-n12-dmdas-nocost 1 0": 1,
	"sg-mirage-n12-dmdas-noprio 1 0": 1,
	"sg-mirage-n12-eager 2 0":        1,
	"sg-mirage-n12-prio 1 0":         1,
	"sg-mirage-n20-dmdas-lim500 1 0": 1,
	"sg-mirage-n30-dmda 1 0":         1,
	"sg-mirage-n30-dmdas 1 0":        1,
	"sg-mirage-n4-dmdas 1 0":         1,
	"sg-mirage-n60-dmdas 1 0":        1,
}

// TestTransfersOfTheRuntime compares the transfers of every pair of memories
// with the runtime's own account, whose GB are 2^30 bytes.
func TestTransfersOfTheRuntime(t *testing.T) {
	for _, file := range testenv.References(t, "data/starpu/*/bus_stats.txt") {
		name := filepath.Base(filepath.Dir(file))
		t.Run(name, func(t *testing.T) {
			if strings.HasPrefix(name, "sg-mirage-n30") || name == "sg-attila-n30-dmda" || name == large || strings.HasPrefix(name, "sgmpi-np30") || strings.HasPrefix(name, "sgmpi-np8") {
				testenv.Slow(t)
			}
			run, err := read.Read(filepath.Dir(file), read.Options{})
			if err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			compareAccount(t, name, run, text)
		})
	}
}

// lost tells how many of the transfers that were numbered one after the other
// are not in the table.
func lost(run *trace.Run) (n int64) {
	rows := int64(0)
	for i := range run.Transfer.Key.Len() {
		if run.Transfer.Kind.At(i) == trace.TransferSteal {
			continue
		}
		rows++
		if number, ok := run.Transfer.Key.Number(run.Transfer.Key.Code[i]); ok {
			n = max(n, number)
		}
	}
	return n - rows
}

func compareAccount(t *testing.T, name string, run *trace.Run, text []byte) {
	type sum struct{ number, bytes int64 }
	got := map[[2]int32]sum{}
	f := memory.SumFlows(run)
	for i := range f.From {
		key := [2]int32{run.Resource.Index[f.From[i]], run.Resource.Index[f.To[i]]}
		got[key] = sum{got[key].number + f.Number[i], got[key].bytes + f.Bytes[i]}
	}
	disks := int32(len(memory.Places(run)) - 1)
	index := func(kind, number string) int32 {
		n, _ := strconv.Atoi(number)
		switch kind {
		case "NUMA":
			return int32(n)
		case "Disk":
			return disks
		}
		return int32(n) + 1
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		m := pair.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		key := [2]int32{index(m[1], m[2]), index(m[3], m[4])}
		gib, _ := strconv.ParseFloat(m[5], 64)
		number, _ := strconv.ParseInt(m[6], 10, 64)
		g := got[key]
		delete(got, key)
		late := beyond[fmt.Sprintf("%s %d %d", name, key[0], key[1])]
		if g.number+late != number || math.Abs(float64(g.bytes)/(1<<30)-gib*float64(number-late)/float64(number)) > 1e-4 {
			t.Errorf("from %d to %d: %d transfers of %.4f GiB, want %d of %.4f less %d that end later", key[0], key[1], g.number,
				float64(g.bytes)/(1<<30), number, gib, late)
		}
	}
	if n := lost(run); n != 0 {
		t.Errorf("%d transfers are missing that the trace has", n)
	}
	for key, g := range got {
		t.Errorf("from %d to %d: %d transfers, of which the runtime knows nothing", key[0], key[1], g.number)
	}
}

// TestRoomIsMade checks what runs with too little memory show: a disk, failed
// allocations, evictions and copies that come again.
func TestRoomIsMade(t *testing.T) {
	for name, least := range map[string]memoryFacts{
		"sg-mirage-ooc-n20-dmdas":    {places: 5, failed: 1, evictions: 100, refetches: 100, disk: true},
		"sg-mirage-n20-dmdas-lim500": {places: 4, failed: 1, evictions: 1, refetches: 1},
		"sg-mirage-n12-dmdas":        {places: 4},
		"nativempi-np2-n8-lws":       {places: 2},
	} {
		t.Run(name, func(t *testing.T) {
			run, err := read.Read(golden.Path(t, "starpu", name), read.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if least.evictions > 1 {
				eachStayCame(t, run)
			}
			got := factsOf(run)
			t.Logf("%+v", got)
			if got.places != least.places || got.failed < least.failed || got.evictions < least.evictions || got.refetches < least.refetches ||
				least.disk && !got.disk || least.failed == 0 && got.failed+got.evictions > 0 {
				t.Errorf("found %+v, want at least %+v", got, least)
			}
		})
	}
}

// eachStayCame holds evictions and refetches of GPUs against transfers, of which
// they know nothing: in a run whose tasks write only to copies that have come, a
// copy lies in a GPU as often as one was sent there, and each refetch is one of
// these after an eviction.
func eachStayCame(t *testing.T, run *trace.Run) {
	c := memory.Count(run, memory.Stays(run, memory.Exact), memory.FindActions(run), memory.FindUses(run), memory.Always, memory.Forever)
	for i, place := range c.Place {
		gpu := strings.HasPrefix(memory.Name(run, place), "CUDA")
		if gpu && (c.Stays[i] != c.In[i] || c.Refetches[i] > c.Evictions[i] || c.Evictions[i] > c.In[i]) {
			t.Errorf("handle %d in %s: %d stays, %d evictions and %d refetches, want as many stays as transfers, %d", c.Handle[i], memory.Name(run, place),
				c.Stays[i], c.Evictions[i], c.Refetches[i], c.In[i])
		}
	}
}

// memoryFacts are sums over all handles and places.
type memoryFacts struct {
	places                                              int
	allocations, failed, repeated, evictions, refetches int64
	disk                                                bool // copies lay in the last place
	stays                                               int
}

func factsOf(run *trace.Run) (f memoryFacts) {
	r := memory.Stays(run, memory.Exact)
	c := memory.Count(run, r, memory.FindActions(run), memory.FindUses(run), memory.Always, memory.Forever)
	places := memory.Places(run)
	f.places, f.stays = len(places), r.Len()
	for i := range c.Handle {
		f.allocations, f.failed, f.repeated = f.allocations+c.Allocations[i], f.failed+c.Failed[i], f.repeated+c.Repeated[i]
		f.evictions, f.refetches = f.evictions+c.Evictions[i], f.refetches+c.Refetches[i]
		f.disk = f.disk || c.Place[i] == places[len(places)-1] && c.Present[i] > 0
	}
	return f
}

// TestResidencyOfRealRuns integrates the states of copies over the makespan by
// one sweep over the events, on several nodes and with a disk too.
func TestResidencyOfRealRuns(t *testing.T) {
	for _, name := range []string{"nativempi-np2-n8-lws", "sg-mirage-ooc-n20-dmdas", "sg-mirage-n20-dmdas-lim500", "native-chol-n10-dmdas"} {
		t.Run(name, func(t *testing.T) {
			run, err := read.Read(golden.Path(t, "starpu", name), read.Options{})
			if err != nil {
				t.Fatal(err)
			}
			to := schedule.Makespan(run)
			want := sweep(run, to)
			got := map[[3]int32]int64{}
			shares := memory.Stays(run, memory.Exact).Cut(interval.Slices{From: 0, To: to, Step: to/37 + 1})
			for i := range shares.Handle {
				got[[3]int32{shares.Handle[i], shares.Place[i], int32(memory.Owner)}] += shares.Owner[i]
				got[[3]int32{shares.Handle[i], shares.Place[i], int32(memory.Shared)}] += shares.Shared[i]
			}
			for k, v := range got {
				if want[k] != v {
					t.Fatalf("handle %d in %d, state %d: %d ns, want %d", k[0], k[1], k[2], v, want[k])
				}
				delete(want, k)
			}
			for k, v := range want {
				if v != 0 {
					t.Fatalf("handle %d in %d, state %d: nothing, want %d ns", k[0], k[1], k[2], v)
				}
			}
			if len(got) == 0 {
				t.Error("no copy lay anywhere")
			}
		})
	}
}

// sweep sums, by handle, place and state, the time in [0, to).
func sweep(run *trace.Run, to int64) map[[3]int32]int64 {
	type open struct {
		state memory.State
		since int64
	}
	e, now, sum := &run.Event, map[[2]int32]open{}, map[[3]int32]int64{}
	set := func(h, p int32, s memory.State, t int64) {
		key := [2]int32{h, p}
		o := now[key]
		sum[[3]int32{h, p, int32(o.state)}] += max(0, min(t, to)-max(o.since, 0))
		now[key] = open{s, t}
	}
	states := map[string]memory.State{"data state owner": memory.Owner, "data state shared": memory.Shared, "data state invalid": memory.Invalid}
	touched := map[[2]int32]bool{}
	for i, h := range e.Handle {
		if _, ok := states[e.Kind.At(i)]; ok && h >= 0 {
			touched[[2]int32{h, e.Resource[i]}] = true
		}
	}
	for i, h := range e.Handle {
		s, coherence := states[e.Kind.At(i)]
		switch {
		case h < 0:
		case coherence:
			set(h, e.Resource[i], s, e.Time[i])
		case e.Kind.At(i) == "data registration":
			for _, p := range memory.Places(run) {
				if re := &run.Resource; re.Node[p] == run.Handle.Node[h] && re.Index[p] == run.Handle.Home[h] && touched[[2]int32{h, p}] {
					set(h, p, memory.Owner, e.Time[i])
				}
			}
		case e.Kind.At(i) == "data unregistration":
			for _, p := range memory.Places(run) {
				set(h, p, memory.Invalid, e.Time[i])
			}
		}
	}
	for key := range now {
		set(key[0], key[1], memory.Invalid, run.Meta.Horizon)
	}
	for key := range sum {
		if key[2] == int32(memory.Invalid) {
			delete(sum, key)
		}
	}
	return sum
}
