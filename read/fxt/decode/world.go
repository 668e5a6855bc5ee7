package decode

import (
	"fmt"
	"path/filepath"
	"strings"

	"dagscope/trace"
)

// world is what a file tells of the MPI program that its process belongs to.
type world struct {
	rank, ranks int32 // of the process and of the program; None, 0: not known
	met         bool  // its processes met at a barrier, which tells both for sure
	key         int64 // of the barriers: a random number, the same in all files of a run
	running     int32 // rank that StarPU's MPI layer started as last, None: it does not run
}

var noWorld = world{rank: trace.None, running: trace.None}

// start notes that StarPU's MPI layer starts. The ranks are those of its own
// communicator, which need not be that of all. The other rank is one that runs
// already, of another process; None if there is none.
func (w *world) start(rank, ranks int64) (other int32) {
	if rank < 0 || rank >= maxRanks {
		return trace.None
	}
	if w.running != int32(rank) {
		other = w.running
	} else {
		other = trace.None
	}
	w.running = int32(rank)
	if !w.met {
		w.rank, w.ranks = int32(rank), countOf(ranks)
	}
	return other
}

// meet notes a barrier of all ranks: the names of files and the ends of messages
// go by these. The first counts, whatever damage follows.
func (w *world) meet(rank, ranks, key int64) {
	if w.met || rank < 0 || rank >= maxRanks {
		return
	}
	w.rank, w.ranks, w.key, w.met = int32(rank), countOf(ranks), key, true
}

// maxRanks is how many ranks a run can have.
const maxRanks = trace.MaxRank + 1

// countOf is a number of ranks, 0 for what is none.
func countOf(ranks int64) int32 {
	if ranks < 0 || ranks > maxRanks {
		return 0
	}
	return int32(ranks)
}

// oneRun makes sure that the files are of one run, as far as they say so: their
// barriers share a number.
func (d *decoder) oneRun() error {
	var keys []int64
	files := map[int64][]string{}
	for _, r := range d.ranks {
		w := &r.world
		if !w.met {
			continue
		}
		if files[w.key] == nil {
			keys = append(keys, w.key)
		}
		files[w.key] = append(files[w.key], r.file)
	}
	if len(keys) < 2 {
		return nil
	}
	var sets []string
	for _, key := range keys[:min(len(keys), maxShown)] {
		sets = append(sets, shown(files[key]))
	}
	return fmt.Errorf("read %s: found raw traces of %d runs, whose barriers differ: %s; want those of one",
		filepath.Dir(d.ranks[0].path), len(keys), strings.Join(sets, "; "))
}

// shown names the first of some things.
func shown(names []string) string {
	if len(names) > maxShown {
		return strings.Join(names[:maxShown], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}

// maxShown bounds the things that a message names.
const maxShown = 8

// noteStrangers logs the files, of several, that nothing ties to the others: no
// barrier puts them on the common clock.
func (d *decoder) noteStrangers() {
	if len(d.ranks) == 1 {
		return
	}
	for _, r := range d.ranks {
		switch {
		case r.world.met:
		case r.world.rank == trace.None:
			r.out.Log.Add(trace.Error, r.file, 0, "rank-of-other-run", "found no event of MPI in a trace that was read with others, want ranks of one program: it is another program's or run's, and begins where theirs begin")
		default:
			r.out.Log.Add(trace.Warning, r.file, 0, "rank-without-barrier", "found no barrier of MPI, want one in each rank: its times begin where those of the others begin")
		}
	}
}
