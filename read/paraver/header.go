package paraver

import (
	"bytes"
	"strings"

	"dagscope/internal/text"
)

// header is what the first line says.
type header struct {
	scale int64 // ns in a unit of time
	end   int64 // ns
	// processes in the order in which the .row file names their threads, and
	// where each is
	processes []process
	at        map[[2]int32]int
}

// process is a task of an application.
type process struct {
	appl, task      int32
	before, threads int32 // threads of those before it, and its own
}

// parseHeader reads "#Paraver (date):END[_unit]:NODES:APPLICATIONS:TASKS(THREADS:NODE,…)[,communicators]…".
// Only the time is necessary; the order of threads gives them their names.
func parseHeader(line []byte) (h header, ok bool) {
	close := bytes.Index(line, []byte("):"))
	if !bytes.HasPrefix(line, []byte(magic)) || close < 0 {
		return h, false
	}
	field := line[close+2:]
	end, rest, _ := bytes.Cut(field, []byte(":"))
	h.scale = 1000
	if number, unit, has := bytes.Cut(end, []byte("_")); has {
		u, known := text.UnitOf(strings.ToLower(string(unit)))
		if !known {
			return h, false
		}
		h.scale, end = u.Length(), number
	}
	n, sound := text.Int(end)
	if !sound || n < 0 || n > text.MaxTime/h.scale {
		return h, false
	}
	h.end = n * h.scale
	h.at = map[[2]int32]int{}
	h.threads(rest)
	return h, true
}

// threads reads the rest of a header: "1(2):1:1(2:1),0".
func (h *header) threads(rest []byte) {
	_, rest, _ = bytes.Cut(rest, []byte(":")) // nodes, whose counts have no colons
	_, rest, _ = bytes.Cut(rest, []byte(":")) // how many applications there are
	total := int64(0)
	for appl := int32(1); len(rest) > 0; appl++ {
		open, close := bytes.IndexByte(rest, '('), bytes.IndexByte(rest, ')')
		if open < 0 || close < open {
			return
		}
		for task, one := range bytes.Split(rest[open+1:close], []byte(",")) {
			count, _, _ := bytes.Cut(one, []byte(":"))
			n, ok := text.Int(count)
			if !ok || n < 0 || total+n > maxThreads {
				return
			}
			h.at[[2]int32{appl, int32(task) + 1}] = len(h.processes)
			h.processes = append(h.processes, process{appl, int32(task) + 1, int32(total), int32(n)})
			total += n
		}
		_, rest, _ = bytes.Cut(rest[close:], []byte(":"))
	}
}

// maxThreads bounds what a header may promise: nothing is allocated for it.
const maxThreads = 1 << 30
