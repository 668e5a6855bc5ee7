package chart

import (
	"fmt"
	"slices"
	"strings"

	"dagscope/predict/campaign"
	"dagscope/show/scene"
)

// Campaign draws the results of a campaign over a parameter, a colour for each
// value of a second one, and a column of panels for each combination of the
// others.
type Campaign struct {
	Table *campaign.Table
	// X and Color are keys of the campaign; "" for the key with most numbers,
	// and for the next one that varies.
	X, Color string
	Measures []string // names of [Measures], a row of panels each; nil for those that suit
	Linear   bool     // no logarithmic axes
}

// maxFacets is how many combinations of further parameters are drawn.
const maxFacets = 16

// facetColumns is how many panels are drawn side by side at most.
const facetColumns = 4

// Draw fails where there is nothing to draw, and where the page is too narrow.
func (c *Campaign) Draw(o Options) (*scene.Page, error) {
	d, err := c.arrange()
	if err != nil {
		return nil, err
	}
	measures, err := d.measures(c.Measures)
	if err != nil {
		return nil, err
	}
	f := o.figure()
	f.Columns = min(len(d.facets), facetColumns)
	for from := 0; from < len(d.facets); from += facetColumns {
		for _, m := range measures {
			d.row(f, m, from)
		}
	}
	width := f.BodyWidth()
	for i := range f.Panels {
		if f.Panels[i].X != nil {
			f.Panels[i].X.Ticks = d.x.ticks(width)
		}
	}
	return compose(f, "campaign")
}

// row adds a panel for each of some facets.
func (d *arranged) row(f *scene.Figure, m measure, from int) {
	axis := d.vertical(m)
	for i := from; i < from+f.Columns; i++ {
		if i >= len(d.facets) {
			f.Panels = append(f.Panels, scene.Panel{ID: "empty", Height: rowHeight})
			continue
		}
		p := d.panel(m, axis, &d.facets[i], i == from)
		if len(d.facets) > 1 {
			p.Title = d.facets[i].name
		}
		f.Panels = append(f.Panels, p)
	}
}

// arranged is the table of a campaign, dealt into facets and series.
type arranged struct {
	t      *campaign.Table
	x      parameterAxis
	color  int // key, −1 for none
	series []string
	facets []facet
	failed int
	linear bool
}

// facet is the points of a combination of further parameters.
type facet struct {
	name   string
	series []series
}

// series is the points of one colour, by x.
type series struct {
	name  string
	color scene.Color
	rows  [][]*campaign.Row // by rank on the axis: replicates
}

// arrange sorts the rows of the table into facets and series.
func (c *Campaign) arrange() (*arranged, error) {
	t := c.Table
	d := &arranged{t: t, linear: c.Linear, color: -1}
	d.failed, _ = t.Failures()
	if len(t.Rows) == d.failed {
		return nil, fmt.Errorf("draw campaign: found no run that could be simulated")
	}
	x, err := d.chooseX(c.X)
	if err != nil {
		return nil, err
	}
	if d.color, err = d.chooseColor(c.Color, x); err != nil {
		return nil, err
	}
	d.x = newParameterAxis(t, x, c.Linear)
	d.series = []string{""}
	if d.color >= 0 {
		d.series = d.values(d.color)
	}
	d.fill()
	if len(d.facets) > maxFacets {
		return nil, fmt.Errorf("draw campaign: found %d combinations of %s, want at most %d: draw a campaign with fewer, or the table", len(d.facets), strings.Join(d.others(), ", "), maxFacets)
	}
	return d, nil
}

// values are those of a key, in order.
func (d *arranged) values(key int) (all []string) {
	seen := make(map[string]bool)
	for i := range d.t.Rows {
		if v := d.t.Rows[i].Values[key]; !seen[v] {
			seen[v] = true
			all = append(all, v)
		}
	}
	return campaign.Ordered(all)
}

// candidates are the keys that vary, replicates aside.
func (d *arranged) candidates() (keys []int) {
	for k, key := range d.t.Keys {
		if key != "seed" && len(d.values(k)) > 1 {
			keys = append(keys, k)
		}
	}
	return keys
}

// chooseX takes the key that is named, else that with most numbers.
func (d *arranged) chooseX(name string) (int, error) {
	if name != "" {
		return d.key(name)
	}
	best, most := -1, 0
	for _, k := range d.candidates() {
		if v := d.values(k); campaign.Numeric(v) && len(v) > most {
			best, most = k, len(v)
		}
	}
	if all := d.candidates(); best < 0 && len(all) > 0 {
		best = all[0]
	}
	if best < 0 {
		best = 0
	}
	if len(d.t.Keys) == 0 {
		return 0, fmt.Errorf("draw campaign: found no parameter, want one to draw over")
	}
	return best, nil
}

// chooseColor takes the key that is named, else the first of those that vary, one
// of texts such as schedulers before numbers.
func (d *arranged) chooseColor(name string, x int) (int, error) {
	if name != "" {
		k, err := d.key(name)
		if err == nil && k == x {
			err = fmt.Errorf("draw campaign: found key %s on the axis and as colour, want two", name)
		}
		return k, err
	}
	best := -1
	for _, k := range d.candidates() {
		if v := d.values(k); k != x && !d.follows(k, x) && len(v) <= len(seriesColors) && (best < 0 || campaign.Numeric(d.values(best)) && !campaign.Numeric(v)) {
			best = k
		}
	}
	return best, nil
}

// key finds a key by its name or its last part.
func (d *arranged) key(name string) (int, error) {
	if k := slices.Index(d.t.Keys, name); k >= 0 {
		return k, nil
	}
	for k, key := range d.t.Keys {
		if strings.HasSuffix(key, "."+name) {
			return k, nil
		}
	}
	return 0, fmt.Errorf("draw campaign: found key %q, want one of %s", name, strings.Join(d.t.Keys, ", "))
}

// Check refuses keys and measures that no campaign with these keys can be drawn
// with: what can be known before its first run.
func (c *Campaign) Check(keys []string) error {
	d := arranged{t: &campaign.Table{Keys: keys}}
	for _, name := range []string{c.X, c.Color} {
		if name == "" {
			continue
		}
		if _, err := d.key(name); err != nil {
			return err
		}
	}
	_, err := measuresNamed(c.Measures)
	return err
}

// follows reports whether a key has one value for each of another, as keys that
// are zipped: it needs no colour and no facets.
func (d *arranged) follows(k, other int) bool {
	of := make(map[string]string)
	for i := range d.t.Rows {
		v := d.t.Rows[i].Values
		if was, known := of[v[other]]; known && was != v[k] {
			return false
		}
		of[v[other]] = v[k]
	}
	return true
}

// others are the keys that make facets.
func (d *arranged) others() (names []string) {
	for _, k := range d.candidates() {
		if k != d.x.key && k != d.color && !d.follows(k, d.x.key) && (d.color < 0 || !d.follows(k, d.color)) {
			names = append(names, d.t.Keys[k])
		}
	}
	return names
}

// fill deals the rows out.
func (d *arranged) fill() {
	var keys []int
	for _, name := range d.others() {
		keys = append(keys, slices.Index(d.t.Keys, name))
	}
	at := make(map[string]int)
	for i := range d.t.Rows {
		r := &d.t.Rows[i]
		var parts []string
		for _, k := range keys {
			parts = append(parts, shortKey(d.t.Keys[k])+" "+r.Values[k])
		}
		name := strings.Join(parts, ", ")
		f, known := at[name]
		if !known {
			f = len(d.facets)
			at[name] = f
			d.facets = append(d.facets, d.newFacet(name))
		}
		s := 0
		if d.color >= 0 {
			s = slices.Index(d.series, r.Values[d.color])
		}
		if !r.Failed() {
			rows := d.facets[f].series[s].rows
			rank := d.x.rank(r.Values[d.x.key])
			rows[rank] = append(rows[rank], r)
		}
	}
}

func (d *arranged) newFacet(name string) facet {
	f := facet{name: name}
	for i, s := range d.series {
		f.series = append(f.series, series{name: s, color: seriesColors[i%len(seriesColors)], rows: make([][]*campaign.Row, len(d.x.values))})
	}
	return f
}

// shortKey is the last part of a key.
func shortKey(key string) string { return key[strings.LastIndex(key, ".")+1:] }

// seriesColors distinguish series: the "vibrant" scheme of Tol 2021, darkened
// where it is pale on white, and more for campaigns of many schedulers.
var seriesColors = []scene.Color{
	scene.RGB(0x0077bb), scene.RGB(0xcc3311), scene.RGB(0x009988), scene.RGB(0xee7733),
	scene.RGB(0xaa3377), scene.RGB(0x33aadd), scene.RGB(0x887700), scene.RGB(0x555555),
	scene.RGB(0x332288), scene.RGB(0x44aa55), scene.RGB(0xdd77aa), scene.RGB(0x774411),
}
