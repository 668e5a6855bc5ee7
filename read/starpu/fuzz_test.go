package starpu

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"dagscope/internal/budget"
	"dagscope/internal/text"
	"dagscope/read/assemble"
)

// FuzzAnyFile feeds any of the files that belong to a run: every line is
// accounted for, and what was read becomes a run.
func FuzzAnyFile(f *testing.F) {
	all := maps.Clone(roles)
	all["h.config"], all["h.bandwidth"], all["h.latency"], all["h.platform.xml"] = role{"", readPlatform}, role{"", readPlatform}, role{"", readPlatform}, role{"", readPlatform}
	delete(all, "paje.trace") // package paje's own target
	names := slices.Sorted(maps.Keys(all))
	for i, name := range names {
		f.Add(i, []byte(map[string]string{
			"atree.dot":       "digraph G {\n\"1\" [label=\"1\"]\n\"2\" -> \"1\"\n}\n",
			"comms.rec":       "Src: 0\nDst: 1\nTag: 4\nHandle: 55\nType: eager\nPriority: 3\nSize: 8\nStartTime: 1.5\nBandwidth: 2\nEndTime: 9\n\n",
			"dag.dot":         "digraph G {\n\"task_1\"->\"task_2\"\n}\n",
			"data.rec":        "Handle: 55\nSize: 8\n\n",
			"papi.rec":        "JobId: 11\nEvent: PAPI_TOT_INS\nValue: 123456\n\n",
			"sched_tasks.rec": "Tag: 2\nDependsOn: 1\nSubmitOrder: 3\n\n",
			"tasks.rec":       "Name: GEMM\nJobId: 1\nEndTime: 1.5\n\n",
			"h.config":        "# c\n12 # CPUs\n0\n1\n",
			"h.bandwidth":     "0 1 nan\n2 0 nan\nnan nan nan\n",
			"h.latency":       "0 1\n2 0\n",
			"h.platform.xml":  "<?xml version='1.0'?>\n<platform version=\"4\">\n</platform>\n",
		}[name]))
	}
	f.Fuzz(func(t *testing.T, which int, in []byte) {
		budget.Watch(t)
		file := names[uint(which)%uint(len(names))]
		r, err := text.New(bytes.NewReader(in), file)
		if err != nil {
			return
		}
		p := &assemble.Parts{}
		if err := all[file].read(r, p, file); err != nil {
			if !errors.Is(err, text.ErrEncoding) && !strings.Contains(err.Error(), "line") {
				t.Errorf("%s: error %v names no line", file, err)
			}
			return
		}
		checkAccount(t, p, file, r.Source("").Lines)
		if _, err := assemble.Assemble(p, assemble.Options{}); err != nil {
			t.Errorf("assemble %s: %v", file, err)
		}
	})
}
