package serve

import (
	"slices"

	"dagscope/diagnose/finding"
	"dagscope/diagnose/symptom"
	"dagscope/explain/kind"
	memories "dagscope/explain/memory"
	"dagscope/trace"
)

// rowsOf are the workers that a finding is about, by the names of their rows:
// those that it names, of nodes it names, at memories or ends of links it names. None
// where it is about the whole run.
func rowsOf(run *trace.Run, where *symptom.Where) (rows []string) {
	if where == nil {
		return nil
	}
	at := slices.Clone(where.Memories)
	if len(at) == 0 {
		for _, l := range where.Links {
			at = append(at, l[0], l[1])
		}
	}
	if len(where.Nodes)+len(where.Workers)+len(at) == 0 {
		return nil
	}
	re := &run.Resource
	for _, w := range kind.Workers(run) {
		name, device := re.Name.At(int(w)), memories.DeviceOf(re, w)
		own := device // the memory of a device has its name, main memory serves the CPUs
		if re.Arch.At(int(w)) == "cpu" {
			own = "RAM"
		}
		switch {
		case len(where.Nodes) > 0 && !slices.Contains(where.Nodes, max(re.Node[w], 0)):
		case len(where.Workers) > 0 && !slices.Contains(where.Workers, name) && !slices.Contains(where.Workers, device):
		case len(where.Workers) == 0 && len(at) > 0 && !slices.Contains(at, own):
		default:
			rows = append(rows, name)
		}
	}
	return rows
}

// allRows are those of each finding.
func allRows(run *trace.Run, found []finding.Finding) [][]string {
	rows := make([][]string, len(found))
	for i := range found {
		if rows[i] = rowsOf(run, found[i].Where); rows[i] == nil {
			rows[i] = []string{}
		}
	}
	return rows
}
