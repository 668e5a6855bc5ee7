package cli

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"dagscope/internal/words"
	"dagscope/predict/calibrate"
	"dagscope/predict/perfmodel"
)

// kernelJSON is a kernel as --json prints it; times in ns, null where a number
// has no meaning.
type kernelJSON struct {
	fitJSON
	Formula     string           `json:"formula"`
	Weights     string           `json:"weights"`
	From        []string         `json:"from"`
	Busy        float64          `json:"busy_workers"`
	MedianError *float64         `json:"median_error"`
	R2Times     *float64         `json:"r2_of_times"`
	Scale       float64          `json:"scale"`
	Floor       float64          `json:"floor_ns"`
	VIF         []*float64       `json:"vif,omitempty"` // as coefficients
	Parameters  []rangeJSON      `json:"parameters"`
	Contention  []contentionJSON `json:"contention,omitempty"`
	Alone       *float64         `json:"contention_alone,omitempty"`
}

type rangeJSON struct {
	Name string  `json:"name"`
	Min  float64 `json:"min"`
	Max  float64 `json:"max"`
}

type contentionJSON struct {
	Busy   int32    `json:"busy"`
	Factor float64  `json:"factor"`
	StdErr *float64 `json:"std_err"`
	Low    *float64 `json:"low"`
	High   *float64 `json:"high"`
	Share  float64  `json:"measurements"`
}

type neededJSON struct {
	Kind    string           `json:"kind"`
	Tasks   int              `json:"tasks"`
	Time    float64          `json:"time_ns"`
	Unknown int              `json:"unknown"`
	Outside int              `json:"extrapolated"`
	Beyond  float64          `json:"extrapolated_ns"`
	Ranges  []neededRangeOut `json:"ranges,omitempty"`
}

type neededRangeOut struct {
	Name     string     `json:"name"`
	Measured [2]float64 `json:"measured"`
	Wanted   [2]float64 `json:"wanted"`
	Tasks    int        `json:"tasks"`
}

func kernelsJSON(fits []*calibrate.Fit, needed []calibrate.Needed, c *kernelCalibration) (out struct {
	Kernels []kernelJSON `json:"kernels"`
	Needed  []neededJSON `json:"matrix,omitempty"`
}) {
	for _, f := range fits {
		out.Kernels = append(out.Kernels, kernelOf(f, c))
	}
	for _, n := range needed {
		j := neededJSON{Kind: n.Kind, Tasks: n.Tasks, Time: n.Time, Unknown: n.Unknown, Outside: n.Outside, Beyond: n.Beyond}
		for _, r := range n.Ranges {
			j.Ranges = append(j.Ranges, neededRangeOut(r))
		}
		out.Needed = append(out.Needed, j)
	}
	return out
}

func kernelOf(f *calibrate.Fit, c *kernelCalibration) kernelJSON {
	j := kernelJSON{fitJSON: fitOf(&f.Model), Formula: f.Formula, Weights: string(f.Weights), From: f.Samples.From, Busy: f.Samples.MeanBusy(), MedianError: known(f.MedianError), R2Times: known(f.R2Times), Scale: f.Scale, Parameters: []rangeJSON{}}
	for _, v := range f.VIF {
		j.VIF = append(j.VIF, known(v))
	}
	if r := f.Model.Regression; r != nil {
		j.Floor = r.Floor
		for _, g := range r.Ranges {
			j.Parameters = append(j.Parameters, rangeJSON{variableName(r, g.Of), g.Min, g.Max})
		}
	}
	if f.Contention != nil {
		j.Alone = known(f.Contention.Alone)
		for _, p := range f.Contention.Points {
			j.Contention = append(j.Contention, contentionJSON{p.Busy, p.Factor, known(p.StdErr), known(p.Low), known(p.High), p.Share})
		}
	}
	return j
}

func variableName(r *perfmodel.Regression, v perfmodel.Variable) string {
	return perfmodel.Product{{Of: v, Exponent: 1}}.Named(r.Parameters)
}

// writeKernels prints the report for people: a line for each kernel, the
// regressions, and what the matrix needs of them.
func writeKernels(w io.Writer, fits []*calibrate.Fit, needed []calibrate.Needed, c *kernelCalibration) error {
	if err := writeQuality(w, fits); err != nil {
		return err
	}
	for _, f := range fits {
		if err := writeKernel(w, f, c); err != nil {
			return err
		}
	}
	return writeNeeded(w, needed)
}

// writeQuality is the paper's Table III, transposed, with what it takes to judge
// a fit.
func writeQuality(w io.Writer, fits []*calibrate.Fit) error {
	g := grid{right: map[int]bool{2: true, 3: true, 4: true, 5: true, 6: true, 7: true, 8: true}}
	g.add("kernel", "depends on", "adjusted R²", "R² of times", "observations", "left out", "mean", "median error", "bias")
	for _, f := range fits {
		m := f.Model.Fit
		g.add(f.Model.Kind, dependsOn(f), orDash(len(m.Coef) > 0 && !math.IsNaN(m.AdjR2), strconv.FormatFloat(m.AdjR2, 'f', 4, 64)),
			orDash(!math.IsNaN(f.R2Times), strconv.FormatFloat(f.R2Times, 'f', 4, 64)), words.Count(m.Tasks), words.Count(m.Rejected+m.Unknown), words.Precise(int64(m.Observed)), orDash(!math.IsNaN(f.MedianError), words.Percent(f.MedianError)), orDash(!math.IsNaN(m.Bias), words.Percent(m.Bias)))
	}
	return g.write(w)
}

// dependsOn are the variables of a model.
func dependsOn(f *calibrate.Fit) string {
	r := f.Model.Regression
	if r == nil {
		return "nothing: the mean"
	}
	var names []string
	for _, g := range r.Ranges {
		names = append(names, variableName(r, g.Of))
	}
	return strings.Join(names, ", ")
}

// writeKernel is the paper's Tables I and II: coefficients with their intervals,
// and what else there is to know.
func writeKernel(w io.Writer, f *calibrate.Fit, c *kernelCalibration) error {
	fmt.Fprintf(w, "\n%s on %s: %s\n", words.OneLine(f.Model.Kind), words.OneLine(f.Model.Arch), f.Formula)
	if err := writeTerms(w, f, c); err != nil {
		return err
	}
	if busy := f.Samples.MeanBusy(); busy > 1.2 {
		fmt.Fprintf(w, "  made while %.1f workers were busy on average: holds there\n", busy)
	}
	if err := writeContention(w, f); err != nil {
		return err
	}
	for _, warning := range f.Model.Fit.Warnings {
		if _, err := fmt.Fprintf(w, "  %s: %s\n", warning.Code, warning.Text); err != nil {
			return err
		}
	}
	return nil
}

func writeTerms(w io.Writer, f *calibrate.Fit, c *kernelCalibration) error {
	m := f.Model.Fit
	if len(m.Coef) == 0 {
		_, err := fmt.Fprintf(w, "  %s, mean %s\n", words.Plural(m.Tasks, "observation"), words.Precise(int64(f.Model.Mean)))
		return err
	}
	g := grid{indent: "  ", right: map[int]bool{1: true, 2: true, 3: true, 4: true, 5: true}}
	g.add("term", "estimate (ms)", fmt.Sprintf("%g %% interval", 100*c.o.Level), "std. error", "VIF", "p")
	for _, j := range paperOrder(m.Coef) {
		k := m.Coef[j]
		name, vif := k.Term, digits(f.VIF[j])
		if name == "1" {
			name = "constant"
		}
		g.add(name, digits(k.Estimate/1e6), "("+digits(k.Low/1e6)+", "+digits(k.High/1e6)+")", digits(k.StdErr/1e6), vif, digits(k.P)+stars(k.P))
	}
	if err := g.write(w); err != nil {
		return err
	}
	sigma := words.Precise(int64(m.Sigma))
	if m.Relative {
		sigma = words.Percent(m.Sigma)
	}
	fmt.Fprintf(w, "  %s, R² %s, adjusted %s, residual error %s, condition %s\n", words.Plural(m.Tasks, "observation"), digits(m.R2), digits(m.AdjR2), sigma, digits(m.Cond))
	if f.Scale != 1 {
		fmt.Fprintf(w, "  coefficients times %s, so that the sum of what is expected is that of what was measured\n", digits(f.Scale))
	}
	return writeRanges(w, f.Model.Regression)
}

// paperOrder puts the constant last.
func paperOrder(all []perfmodel.Coef) (order []int) {
	for j := range all {
		order = append(order, j)
	}
	slices.SortStableFunc(order, func(a, b int) int { return constantLast(all[a].Term) - constantLast(all[b].Term) })
	return order
}

func constantLast(term string) int {
	if term == "1" {
		return 1
	}
	return 0
}

func writeRanges(w io.Writer, r *perfmodel.Regression) error {
	var parts []string
	for _, g := range r.Ranges {
		parts = append(parts, fmt.Sprintf("%s from %s to %s", variableName(r, g.Of), digits(g.Min), digits(g.Max)))
	}
	if len(parts) == 0 {
		return nil
	}
	_, err := fmt.Fprintf(w, "  holds for %s; never below %s\n", strings.Join(parts, ", "), words.Precise(int64(r.Floor)))
	return err
}

func writeContention(w io.Writer, f *calibrate.Fit) error {
	if f.Contention == nil {
		return nil
	}
	g := grid{indent: "  ", right: map[int]bool{0: true, 1: true, 2: true, 3: true}}
	g.add("busy workers", "takes times", "interval", "measurements")
	for _, p := range f.Contention.Points {
		interval := "by definition"
		if !math.IsNaN(p.StdErr) {
			interval = "(" + digits(p.Low) + ", " + digits(p.High) + ")"
		}
		g.add(words.Count(p.Busy), strconv.FormatFloat(p.Factor, 'f', 3, 64), interval, strconv.FormatFloat(p.Share, 'f', 0, 64))
	}
	return g.write(w)
}

// writeNeeded says what the tasks of the matrix ask of the models.
func writeNeeded(w io.Writer, needed []calibrate.Needed) error {
	if needed == nil {
		return nil
	}
	fmt.Fprintln(w, "\nThe tasks of the matrix")
	g := grid{indent: "  ", right: map[int]bool{1: true, 2: true, 3: true, 4: true}}
	g.add("kernel", "tasks", "time in all", "extrapolated", "of the time", "beyond what was measured")
	for _, n := range needed {
		time, beyond := words.Precise(int64(n.Time)), orDash(n.Time > 0, words.Percent(n.Beyond/n.Time))
		if n.Unknown == n.Tasks && n.Tasks > 0 {
			time = "no model"
		}
		g.add(n.Kind, words.Count(n.Tasks), time, words.Count(n.Outside), beyond, beyondWords(n.Ranges))
	}
	return g.write(w)
}

func beyondWords(ranges []calibrate.NeededRange) string {
	var parts []string
	for _, r := range ranges {
		if r.Tasks > 0 {
			parts = append(parts, fmt.Sprintf("%s %s to %s, measured %s to %s", r.Name, digits(r.Wanted[0]), digits(r.Wanted[1]), digits(r.Measured[0]), digits(r.Measured[1])))
		}
	}
	return strings.Join(parts, "; ")
}
