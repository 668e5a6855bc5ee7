package chart

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"dagscope/internal/words"
	"dagscope/predict/campaign"
	"dagscope/show/render"
	"dagscope/show/scene"
)

// results makes rows of all combinations of values; ns says the makespan.
func results(ns func(values []string) int64, keys []string, values ...[]string) *campaign.Table {
	t := &campaign.Table{Keys: keys}
	rows := [][]string{nil}
	for _, all := range values {
		var next [][]string
		for _, row := range rows {
			for _, v := range all {
				next = append(next, append(slices.Clone(row), v))
			}
		}
		rows = next
	}
	for _, row := range rows {
		m := campaign.Failure(errors.New("no"))
		if n := ns(row); n > 0 {
			m = campaign.Metrics{Makespan: n, Area: n / 2, CriticalPath: n / 3, Bound: 0.5, Idle: 0.25, Workers: int64(campaign.Number(row[0]))}
		}
		t.Rows = append(t.Rows, campaign.Row{Values: row, Metrics: m})
	}
	return t
}

func svgOf(t *testing.T, page *scene.Page) string {
	t.Helper()
	var b bytes.Buffer
	if err := render.SVG(&b, page, render.Options{}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "NaN") || strings.Contains(b.String(), "Inf") {
		t.Error("there are numbers in the figure that are none")
	}
	return b.String()
}

func labelsOf(page *scene.Page) (all []string) {
	for _, op := range page.Ops {
		if op.Label != nil {
			all = append(all, op.Label.S)
		}
	}
	return all
}

// Whatever the parameters, there is a figure without numbers that are none, and
// every value of the axis, the colour and the facets is named.
func TestCampaign(t *testing.T) {
	ideal := func(v []string) int64 { return int64(1e9 / campaign.Number(v[0])) }
	cpus := []string{"1", "2", "4", "8", "16", "32", "64", "128"}
	for name, c := range map[string]struct {
		t    *campaign.Table
		want string
	}{
		"workers":  {results(ideal, []string{"platform.cpus"}, cpus), "1,2,4,8,16,32,64,128,cpus,speedup,efficiency [%],ideal,area bound,critical path"},
		"colours":  {results(ideal, []string{"platform.cpus", "scheduler"}, cpus, []string{"lws", "dmdas"}), "lws,dmdas,1,128"},
		"facets":   {results(ideal, []string{"platform.cpus", "scheduler", "workload.tiles"}, cpus[:3], []string{"lws", "dmdas"}, []string{"20", "30"}), "tiles 20,tiles 30"},
		"texts":    {results(func([]string) int64 { return 5 }, []string{"scheduler"}, []string{"lws", "dmdas"}), "lws,dmdas,scheduler"},
		"single":   {results(func([]string) int64 { return 5 }, []string{"seed"}, []string{"1"}), "seed"},
		"zero":     {results(func([]string) int64 { return 7 }, []string{"platform.gpus"}, []string{"0", "1"}), "against 0 gpus"},
		"failures": {results(func(v []string) int64 { return int64(campaign.Number(v[0])) - 1 }, []string{"platform.cpus"}, cpus), "1 of 8 runs failed"},
		"seeds":    {results(func(v []string) int64 { return int64(100 + campaign.Number(v[1])) }, []string{"platform.cpus", "seed"}, cpus, cpus), "medians of replicates, and their range"},
	} {
		t.Run(name, func(t *testing.T) {
			page, err := (&Campaign{Table: c.t}).Draw(Options{Width: 960, Title: name})
			if err != nil {
				t.Fatal(err)
			}
			svgOf(t, page)
			got := labelsOf(page)
			for _, want := range strings.Split(c.want, ",") {
				if !slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, want) }) {
					t.Errorf("found no %q in %q", want, got)
				}
			}
			if page, err = (&Campaign{Table: c.t, Measures: Measures(), Linear: true}).Draw(Options{Width: 960}); err != nil {
				t.Fatal(err)
			}
			svgOf(t, page)
		})
	}
}

// Keys that go along with the axis make no facets.
func TestZipped(t *testing.T) {
	all := &campaign.Table{Keys: []string{"p", "q", "scheduler"}}
	for _, v := range [][]string{{"1", "4", "lws"}, {"2", "2", "lws"}, {"4", "1", "lws"}, {"1", "4", "ws"}, {"2", "2", "ws"}, {"4", "1", "ws"}} {
		all.Rows = append(all.Rows, campaign.Row{Values: v, Metrics: campaign.Metrics{Makespan: 5}})
	}
	d, err := (&Campaign{Table: all}).arrange()
	if err != nil || len(d.facets) != 1 || d.color != 2 || d.x.key != 0 {
		t.Errorf("axis %d, colour %d, %d facets, %v", d.x.key, d.color, len(d.facets), err)
	}
}

func TestCampaignsThatCannotBeDrawn(t *testing.T) {
	one := results(func([]string) int64 { return 5 }, []string{"a.x", "b.y"}, []string{"1", "2"}, []string{"1", "2"})
	many := make([]string, 20)
	for i := range many {
		many[i] = fmt.Sprint(i)
	}
	for want, c := range map[string]struct {
		t *campaign.Table
		c Campaign
	}{
		"found key \"z\", want one of a.x, b.y":    {one, Campaign{X: "z"}},
		"on the axis and as colour":                {one, Campaign{X: "x", Color: "a.x"}},
		"found panel \"w\"":                        {one, Campaign{Measures: []string{"w"}}},
		"found no run":                             {results(func([]string) int64 { return 0 }, []string{"a"}, many), Campaign{}},
		"found 20 combinations of c, want at most": {results(func([]string) int64 { return 1 }, []string{"a", "b", "c"}, many, many[:2], many), Campaign{X: "a", Color: "b"}},
	} {
		c.c.Table = c.t
		if _, err := c.c.Draw(Options{Width: 600}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// Numbers lie where they are, or where their logarithms are.
func TestCampaignAxes(t *testing.T) {
	for _, c := range []struct {
		values []string
		log    bool
	}{
		{[]string{"1", "2", "4", "8", "16"}, true},
		{[]string{"10", "20", "30", "40", "50", "60", "70", "80", "90", "100"}, false},
		{[]string{"0", "1", "10", "100"}, false},
		{[]string{"1", "10"}, false},
		{[]string{"32", "64", "320", "960"}, true},
	} {
		x := newParameterAxis(results(func([]string) int64 { return 1 }, []string{"k"}, c.values), 0, false)
		if x.scale.log != c.log {
			t.Errorf("%v: logarithmic %v, want %v", c.values, x.scale.log, c.log)
		}
	}
	y := newMeasureAxis([]float64{5e9, 1e9}, measure{units: words.Times, logarithmic: true}, false)
	if y.unit.Name != "s" || y.scale.log || y.y(0) != rowHeight-rowBelow || y.y(5e9) != rowAbove {
		t.Errorf("axis %+v: 0 lies at %v, the greatest at %v", y, y.y(0), y.y(5e9))
	}
	if y = newMeasureAxis([]float64{1e3, 1e9}, measure{units: words.Times, logarithmic: true}, false); !y.scale.log || math.Abs(float64(y.y(1e6)-(rowAbove+rowHeight-rowBelow)/2)) > 0.01 {
		t.Errorf("axis %+v: the geometric mean lies at %v", y, y.y(1e6))
	}
}

// Speed-up and efficiency are against the fewest workers.
func TestRelative(t *testing.T) {
	d, err := (&Campaign{Table: results(func(v []string) int64 { return map[string]int64{"2": 1000, "4": 600, "8": 400}[v[0]] }, []string{"platform.cpus"}, []string{"2", "4", "8"})}).arrange()
	if err != nil {
		t.Fatal(err)
	}
	s := &d.facets[0].series[0]
	for place, want := range []float64{2, 2 * 1000. / 600, 5} {
		ns := float64(s.rows[place][0].Makespan)
		if got := speedup(s, &d.x, place, ns); math.Abs(got-want) > 1e-12 {
			t.Errorf("speed-up %v, want %v", got, want)
		}
		if got := efficiency(s, &d.x, place, ns); math.Abs(got-want/d.x.number(place)) > 1e-12 {
			t.Errorf("efficiency %v", got)
		}
	}
}
