package cli

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"dagscope/explain/compare"
	"dagscope/internal/words"
	"dagscope/show/panel/layout"
	"dagscope/show/render"
	"dagscope/show/scene"
)

// draw writes the courses of both runs as a figure.
func (f *compareFlags) draw(r *compare.Result) error {
	format, err := render.FormatOf(f.plot)
	if err != nil {
		return usageError{err}
	}
	fig, err := layout.Courses(r.Courses, [2]string{shorten(r.A.Name, 24), shorten(r.B.Name, 24)}, 0)
	if err != nil {
		return err
	}
	fig.Recipe = []scene.Field{{Name: "program", Value: "dagscope " + version}, {Name: "A", Value: r.A.Name}, {Name: "B", Value: r.B.Name}}
	page, err := scene.Compose(fig)
	if err != nil {
		return fmt.Errorf("draw courses: %w", err)
	}
	return writeFile(f.plot, func(w io.Writer) error { return render.Write(w, format, page, render.Options{Scale: 2}) })
}

// What people are shown at most: distributions, by kinds, and courses, of whole
// runs first.
const (
	maxDistributions = 12
	maxCourses       = 16
)

// writeDistributions sets quantiles of durations side by side.
func writeDistributions(b *strings.Builder, r *compare.Result) {
	if len(r.Distributions) == 0 {
		return
	}
	b.WriteString("\nDurations of tasks, ms (distance 0: equal distributions, 1: nothing in common)\n")
	g := grid{indent: "  ", right: make(map[int]bool)}
	g.add("kind", "arch", "", "tasks", "mean", "5 %", "25 %", "median", "75 %", "95 %", "distance", "moved")
	for i := 3; i < 12; i++ {
		g.right[i] = true
	}
	for _, d := range r.Distributions[:min(len(r.Distributions), maxDistributions)] {
		g.add(append([]string{shorten(d.Kind, 24), d.Arch, "A"}, spreadCells(&d.A)...)...)
		g.add(append(append([]string{"", "", "B"}, spreadCells(&d.B)...), strconv.FormatFloat(d.Distance, 'f', 2, 64), words.Percent(d.Shift))...)
	}
	g.write(b)
	left(b, len(r.Distributions)-maxDistributions, "kind")
}

func spreadCells(s *compare.Spread) []string {
	cells := []string{words.Count(s.Count)}
	for _, ns := range []int64{s.Mean, s.P5, s.Q1, s.Median, s.Q3, s.P95} {
		cells = append(cells, words.MSColumn(ns))
	}
	return cells
}

// writeCourses says how alike quantities went.
func writeCourses(b *strings.Builder, r *compare.Result) {
	if len(r.Courses) == 0 {
		return
	}
	b.WriteString("\nCourse of the runs, from 0 to 100 % of each\n")
	g := grid{indent: "  ", right: map[int]bool{1: true, 2: true, 3: true, 4: true, 5: true, 6: true}}
	g.add("", "mean A", "B", "most A", "B", "apart", "correlation")
	for _, c := range r.Courses[:min(len(r.Courses), maxCourses)] {
		name := c.Name
		if c.Unit != "" {
			name += " [" + c.Unit + "]"
		}
		g.add(shorten(name, 40), scalar(c.AMean), scalar(c.BMean), scalar(c.AMost), scalar(c.BMost), sharePart(float64(c.Difference)), scalar(c.Correlation))
	}
	g.write(b)
	if n := len(r.Courses) - maxCourses; n > 0 {
		fmt.Fprintf(b, "  and %s of memories (--json has all)\n", words.Plural(n, "course"))
	}
}

// scalar writes a number with three or four digits.
func scalar(v compare.Scalar) string {
	f := float64(v)
	switch {
	case math.IsNaN(f):
		return "–"
	case math.Abs(f) >= 1000:
		return strconv.FormatFloat(f, 'f', 0, 64)
	}
	return strconv.FormatFloat(f, 'g', 3, 64)
}

// writeFirst says where the schedules part, and why.
func writeFirst(b *strings.Builder, r *compare.Result) {
	if r.First == nil {
		return
	}
	b.WriteString("\nWhere the schedules part\n")
	if p := r.First.Decision; p != nil {
		fmt.Fprintf(b, "  The first decision that differs (%s):\n", whenParted(p))
		writeParting(b, p)
	}
	if p := r.First.Place; p != nil && sameParting(p, r.First.Decision) {
		fmt.Fprintf(b, "  It is also the first task that ran elsewhere; %s before it on the same worker.\n", words.Plural(r.First.Same, "task"))
	} else if p != nil {
		fmt.Fprintf(b, "  The first task that ran elsewhere (%s; %s before it on the same worker):\n", whenParted(p), words.Plural(r.First.Same, "task"))
		writeParting(b, p)
	}
}

// sameParting tells whether two differences are one.
func sameParting(p, q *compare.Parting) bool {
	return q != nil && q.A != nil && q.B != nil && p.A.Task.Key == q.A.Task.Key && p.B.Task.Key == q.B.Task.Key && p.A.Worker == q.A.Worker && p.B.Worker == q.B.Worker
}

func whenParted(p *compare.Parting) string {
	var parts []string
	for i, c := range []*compare.Choice{p.A, p.B} {
		if c != nil && c.Time != nil {
			parts = append(parts, words.MSColumn(*c.Time)+" ms in "+[]string{"A", "B"}[i])
		}
	}
	return strings.Join(parts, ", ")
}

func writeParting(b *strings.Builder, p *compare.Parting) {
	writeSentences(b, p.Words)
	if len(p.Estimates) == 0 {
		return
	}
	g := grid{indent: "    ", right: make(map[int]bool)}
	g.add("", "worker", "busy for", "+ queued", "+ transfers", "+ task", "= done in", "fitness, ms")
	for i := 2; i < 8; i++ {
		g.right[i] = true
	}
	for i, letter := range []string{"A", "B"} {
		for _, row := range estimateRows(p, i) {
			g.add(append([]string{letter}, row...)...)
		}
	}
	g.write(b)
}

// estimateRows are what a run expected of workers. Workers of which the same was
// expected share a row, but for those that were chosen.
func estimateRows(p *compare.Parting, side int) (rows [][]string) {
	var names []string // of the row, without the number of others
	more := make(map[int]int)
	at := make(map[string]int)
	for _, e := range p.Estimates {
		x := []*compare.Estimate{e.A, e.B}[side]
		if x == nil {
			continue
		}
		cells := estimateCells(x)
		name, key := e.Worker, strings.Join(cells, " ")
		chosen := []*compare.Choice{p.A, p.B}[side]
		for _, c := range []*compare.Choice{p.A, p.B} {
			if c != nil && c.Worker == name {
				key = name
			}
		}
		if chosen != nil && chosen.Worker == name {
			name += " *"
		}
		if i, known := at[key]; known {
			more[i]++
			continue
		}
		at[key] = len(rows)
		rows, names = append(rows, append([]string{name}, cells...)), append(names, name)
	}
	for i, n := range more {
		rows[i][0] = fmt.Sprintf("%s and %d like it", names[i], n)
	}
	return rows
}

// estimateCells are an estimate's parts, which add up, and its fitness. Of
// transfers that partly happen while the worker is busy, all stand behind what
// they add.
func estimateCells(x *compare.Estimate) []string {
	busy := max(0, x.Available)
	transfers := estimateCell(x.Exposed)
	if all := estimateCell(x.Transfer); all != transfers {
		transfers += " of " + all
	}
	return []string{estimateCell(busy), estimateCell(max(0, x.Available+x.Queued) - busy), transfers, estimateCell(x.Duration), estimateCell(x.End), estimateCell(x.Fitness)}
}

// estimateCell writes what may be unknown.
func estimateCell(ns float64) string {
	if math.Abs(ns) >= math.MaxInt64/2 {
		return "–"
	}
	return words.MSColumn(int64(math.Round(ns)))
}
