package decode

import (
	"fmt"
	"path/filepath"
	"strings"

	"dagscope/trace"
)

// unreadFile is a file of several that holds no event.
type unreadFile struct {
	path string
	err  error
}

// noteUnread logs the files that hold no event.
func (d *decoder) noteUnread(files []unreadFile) {
	for _, f := range files {
		d.ranks[0].Log.Add(trace.Error, filepath.Base(f.path), 0, "file-without-events", f.err.Error())
	}
}

// noteMissing logs the ranks of the program whose files are not among those
// that are read: what they did is missing, and messages have one end.
func (d *decoder) noteMissing(probes []*probe) {
	ranks, there := int32(0), map[int32]bool{}
	for _, p := range probes {
		ranks, there[p.told] = max(ranks, p.ranks), true
	}
	missing, shown := 0, []string{}
	for rank := range ranks {
		if there[rank] {
			continue
		}
		if missing++; missing <= maxShown {
			shown = append(shown, fmt.Sprint(rank))
		}
	}
	if missing > maxShown {
		shown = append(shown, "…")
	}
	r := d.ranks[0]
	r.Log.AddN(trace.Warning, r.file, 0, "missing-rank", fmt.Sprintf("found the traces of %d of %d ranks, want all: what ranks %s did is missing",
		int(ranks)-missing, ranks, strings.Join(shown, ", ")), int64(missing))
}

// maxShown bounds the ranks that a message names.
const maxShown = 8
