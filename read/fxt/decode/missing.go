package decode

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"dagscope/trace"
)

// unreadFile is a file of several that holds no event, or cannot be read.
type unreadFile struct {
	path string
	err  error
}

// noteUnread logs the files that hold no event, or that must not be read.
func (d *decoder) noteUnread(files []unreadFile) {
	for _, f := range files {
		code := "file-without-events"
		if errors.Is(f.err, fs.ErrPermission) {
			code = "unreadable-file"
		}
		d.ranks[0].out.Log.Add(trace.Error, filepath.Base(f.path), 0, code, f.err.Error())
	}
}

// noteMissing logs the ranks of the program whose files are not among those
// that were read: what they did is missing, and messages have one end.
func (d *decoder) noteMissing() {
	ranks, there := int32(0), map[int32]bool{}
	for _, r := range d.ranks {
		ranks, there[r.world.rank] = max(ranks, r.world.ranks), true
	}
	missing, names := 0, []string{}
	for rank := range ranks {
		if there[rank] {
			continue
		}
		if missing++; missing <= maxShown+1 {
			names = append(names, fmt.Sprint(rank))
		}
	}
	what, verb := "traces of ranks ", "are"
	if missing == 1 {
		what, verb = "trace of rank ", "is"
	}
	r := d.ranks[0]
	r.out.Log.AddN(trace.Warning, r.file, 0, "missing-rank", fmt.Sprintf("the %s %s missing: found %d of %d, want all",
		what+shown(names), verb, int(ranks)-missing, ranks), int64(missing))
}
