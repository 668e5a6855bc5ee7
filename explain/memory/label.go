package memory

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"dagscope/trace"
)

// Labels name pieces of data for readers: by their coordinates ("3,1"), with
// the name of the data where others have the same ("A 3,1"), else by name, else
// by row ("#17"). On several nodes the labels of handles that stand for the same
// piece of data are the same.
type Labels struct {
	run  *trace.Run
	text []string
}

// NewLabels makes the labels of all handles.
func NewLabels(run *trace.Run) *Labels {
	h := &run.Handle
	l := &Labels{run: run, text: make([]string, len(h.Node))}
	full := func(i int) string { return strings.TrimSpace(name(h, i) + " " + Coordinates(run, int32(i))) }
	for _, text := range []func(i int) string{func(i int) string { return Coordinates(run, int32(i)) }, full} {
		taken := map[string]int{} // by node and label
		key := func(i int, s string) string { return strconv.Itoa(int(h.Node[i])) + " " + s }
		var open []int
		for i := range l.text {
			if l.text[i] == "" {
				open = append(open, i)
				taken[key(i, text(i))]++
			}
		}
		for _, i := range open {
			if s := text(i); s != "" && taken[key(i, s)] == 1 {
				l.text[i] = s
			}
		}
	}
	for i := range l.text {
		if l.text[i] == "" {
			l.text[i] = "#" + strconv.Itoa(i)
		}
	}
	return l
}

func name(h *trace.Handles, i int) string {
	if len(h.Name.Index) == 0 {
		return ""
	}
	return h.Name.At(i)
}

// Coordinates are those of a handle, joined by commas; "" where it has none.
func Coordinates(run *trace.Run, handle int32) string {
	h := &run.Handle
	if len(h.Coordinates.Index) > 0 {
		if s := h.Coordinates.At(int(handle)); s != "" {
			return strings.Join(strings.Fields(s), ",")
		}
	}
	if len(h.X) == 0 || h.X[handle] == trace.NoInt {
		return ""
	}
	s := strconv.Itoa(int(h.X[handle]))
	if h.Y[handle] != trace.NoInt {
		s += "," + strconv.Itoa(int(h.Y[handle]))
	}
	return s
}

// Of is the label of a handle, "" for none.
func (l *Labels) Of(handle int32) string {
	if handle < 0 || int(handle) >= len(l.text) {
		return ""
	}
	return l.text[handle]
}

// Find returns the handles that a text means, one of each node that has it:
// those with that label, else with these coordinates, else with this name, else
// with this address.
func (l *Labels) Find(text string) (handles []int32) {
	h := &l.run.Handle
	text = strings.TrimSpace(text)
	spaced := strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' || r == '×' }), ",")
	for _, of := range []func(i int) bool{
		func(i int) bool { return l.text[i] == text },
		func(i int) bool { return "#"+text == "#"+strconv.Itoa(i) && l.text[i][0] == '#' },
		func(i int) bool { return spaced != "" && Coordinates(l.run, int32(i)) == spaced },
		func(i int) bool { return text != "" && name(h, i) == text },
		func(i int) bool { return h.Key.At(i) == text },
	} {
		seen := map[int32]bool{}
		for i := range h.Node {
			if of(i) && !seen[h.Node[i]] {
				seen[h.Node[i]] = true
				handles = append(handles, int32(i))
			}
		}
		if len(handles) > 0 {
			return handles
		}
	}
	return nil
}

// Busiest returns the handles that moved most, at most so many: by the number of
// their transfers, then of the tasks that used them, then by row. Only handles
// of which anything is known are among them.
func Busiest(run *trace.Run, r *Residency, u *Uses, most int) []int32 {
	n := len(run.Handle.Node)
	moves := make([]int64, n)
	for _, h := range run.Transfer.Handle {
		if h >= 0 {
			moves[h]++
		}
	}
	uses := func(h int32) int { from, to := u.Of(h); return to - from }
	var all []int32
	for h := range int32(n) {
		if from, to := r.Of(h); to > from || uses(h) > 0 || moves[h] > 0 {
			all = append(all, h)
		}
	}
	slices.SortStableFunc(all, func(a, b int32) int {
		return cmp.Or(cmp.Compare(moves[b], moves[a]), cmp.Compare(uses(b), uses(a)))
	})
	return all[:min(most, len(all))]
}
