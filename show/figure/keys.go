package figure

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	_ "dagscope/show/panel" // all panels
	"dagscope/show/panel/core"
	"dagscope/show/panel/layout"
	"dagscope/show/setting"
)

// Keys lists every key in the order of the documentation: ours, then those of
// StarVZ.
func Keys() []Key { return slices.Clone(allKeys()) }

// allKeys are made once: a key is looked up for each line of a configuration.
var allKeys = sync.OnceValue(func() []Key {
	keys := slices.Concat(ownKeys(), layerKeys(), optionKeys(), manyKeys(), irregularKeys(), memoryKeys(), commKeys(), declaredKeys(), starvzKeys())
	for i := range keys {
		keys[i].Panel = Owner(keys[i].Name)
	}
	return keys
})

// Owner is the panel that a key begins with, by our name or StarVZ's; "" for keys of all.
func Owner(key string) string {
	for _, p := range starvzPanels {
		if strings.HasPrefix(key, p.key+".") {
			return p.id
		}
	}
	prefix, _, dotted := strings.Cut(key, ".")
	if _, err := core.Find(prefix); dotted && err == nil {
		return prefix
	}
	return ""
}

// ofPage marks keys that mean nothing to a panel that is drawn by itself.
func ofPage(keys ...Key) []Key {
	for i := range keys {
		keys[i].Page = true
	}
	return keys
}

func keyOf(name, flag, doc string, f field) Key {
	return Key{Name: name, Flag: flag, Doc: doc, field: f}
}

// ownKeys are those that StarVZ does not have.
func ownKeys() []Key {
	title := text(func(s *Spec) *string { return &s.Title }, nil)
	title.get = nil // title.text says it
	return slices.Concat(pageKeys(), ofPage(
		keyOf("title", "", "short for `title.text`", title),
		keyOf("panels", "panels", "panels from top to bottom, each with its height in units of 100 pixels if wanted (`st:3`); "+
			"on a page of given height these are shares", choices()),
		keyOf("runs.names", "names", "names of the runs in the figure, in their order", texts(func(s *Spec) *[]string { return &s.Names }, aList(setting.Text), nil)),
		keyOf("facets", "facets", "how several runs are arranged: above each other, a column of panels each, or each panel of all runs in a grid of rows and columns", facets()),
		keyOf("grid_columns", "grid-columns", "runs beside each other in a grid; about as many as below each other if none are given",
			count(func(s *Spec) *int { return &s.Across }, 0, 100)),
		keyOf("align", "align", "what coincides in the time of several runs; that of the first is shown: start (of the first tasks), end (of the last), "+
			"progress (each 5 % of the work) or iteration (the start of each that both have)",
			word(func(s *Spec) *layout.Alignment { return &s.Align }, "none", alignments()...)),
		keyOf("facts", "facts", "numbers beside the name of each of several runs",
			several(func(s *Spec) *[]layout.Fact { return &s.Facts }, layout.Facts())),
		keyOf("marks.labels", "", "labels of `vertical_lines.x_list`; `--mark MS=LABEL` sets both", texts(func(s *Spec) *[]string { return &s.MarkLabels }, aList(setting.Text), nil)),
	), rowKeys(), colorKeys())
}

func pageKeys() []Key {
	return ofPage(
		keyOf("size", "size", sizeDoc(), text(func(s *Spec) *string { return &s.Size }, checkSize)),
		keyOf("width", "width", "width of the page in pixels (96 to the inch) where no size is given", number(func(s *Spec) *float64 { return &s.Width }, setting.Between(1, 20000), "pixels")),
		keyOf("font_size", "font-size", "size of labels in points, at the size of the page; rows and lines grow with it",
			number(func(s *Spec) *float64 { return &s.FontSize }, setting.Between(3, 60), "points")),
		keyOf("theme", "theme", "paper: light or dark", asIs(func(s *Spec) *string { return &s.Theme }, "light", "dark")),
		keyOf("dpi", "dpi", "PNG: image pixels to the inch; 300 where a `size` of paper is given (up to 210 mm wide), else 192", number(func(s *Spec) *float64 { return &s.DPI }, setting.Between(20, 2400), "dots per inch")),
		keyOf("notes", "notes", "the small print above the panels, what was counted and summarised; auto leaves it out of narrow panels of several runs, and remarks on pixels out of figures with a size on paper",
			word(func(s *Spec) *layout.Notes { return &s.Notes }, "auto", "always", "never")),
		keyOf("outlines", "outlines", "SVG: texts as shapes, for viewers without a font like Arial", boolean(func(s *Spec) *bool { return &s.Outlines })),
	)
}

func sizeDoc() string {
	var names []string
	for _, s := range sizes {
		names = append(names, fmt.Sprintf("`%s` (%s)", s.name, s.doc))
	}
	return "paper: " + strings.Join(names, ", ") + ", `120mm` wide, or `178x100mm`"
}

func checkSize(s string) error {
	_, _, _, err := ParseSize(s)
	return err
}

func choices() field {
	return texts(func(s *Spec) *[]string { return &s.Panels }, aList(setting.Panel), func(c string) error {
		id, _, err := parseChoice(c)
		if err == nil {
			err = core.Drawable([]string{id})
		}
		if err == nil {
			_, err = core.Find(id)
		}
		return err
	})
}

func facets() field {
	return asIs(func(s *Spec) *string { return &s.Facets }, "rows", "columns", "grid")
}

func rowKeys() []Key {
	pattern := func(p string) error {
		if _, err := path.Match(strings.TrimPrefix(p, "!"), ""); err != nil {
			return fmt.Errorf("found %q: %w", p, err)
		}
		return nil
	}
	o := func(s *Spec) *core.Options { return &s.Options }
	return []Key{
		keyOf("rows.workers", "worker", "only workers with names like these (`*`, `?`, `[a-c]`); `!` before a pattern hides",
			texts(func(s *Spec) *[]string { return &o(s).Workers }, aList(setting.Pattern), pattern)),
		keyOf("rows.group", "group", "what rows stand together by", word(func(s *Spec) *core.RowGroup { return &o(s).Rows.Group }, "node", "arch", "none")),
		keyOf("rows.order", "order", "order of rows in a group: by name, the busiest first, or those with most tasks first",
			word(func(s *Spec) *core.RowOrder { return &o(s).Rows.Order }, "name", "idle", "tasks")),
		keyOf("rows.pin", "pin", "patterns of workers that come first in their group",
			texts(func(s *Spec) *[]string { return &o(s).Rows.Pin }, aList(setting.Pattern), pattern)),
		keyOf("rows.collapse", "collapse", "blocks of workers, `GROUP/ARCH` as in `node 0/cuda` or `*/cpu`, or one of the two as in `cuda`, `*` for all, that are one row, the mean of theirs",
			texts(func(s *Spec) *[]string { return &o(s).Rows.Collapse }, aList(setting.Pattern), pattern)),
		keyOf("rows.fold", "fold", "draw the workers of a node and architecture as one row", fold()),
	}
}

// fold is two switches of the panel that exclude each other.
func fold() field {
	return choice([]string{"auto", "always", "never"},
		func(s *Spec) string {
			switch {
			case s.Options.SpaceTime.Fold:
				return "always"
			case s.Options.SpaceTime.NoFold:
				return "never"
			}
			return "auto"
		},
		func(s *Spec, word string) {
			s.Options.SpaceTime.Fold, s.Options.SpaceTime.NoFold = word == "always", word == "never"
		})
}

func colorKeys() []Key {
	return []Key{
		keyOf("palette", "palette", "colours of kinds: "+strings.Join(core.Palettes(), ", ")+", all for any kind of sight",
			word(func(s *Spec) *string { return &s.Coloring.Palette }, core.Palettes()[0], core.Palettes()[1:]...)),
		keyOf("focus", "focus", "kinds that stand out: all others are pale", texts(func(s *Spec) *[]string { return &s.Options.Focus }, aList(setting.KindOf), nil)),
		keyOf("hide", "hide", "kinds that are not drawn", texts(func(s *Spec) *[]string { return &s.Options.Hide }, aList(setting.KindOf), nil)),
		keyOf("source_colors", "source-colors", "use the colours that the trace gives", boolean(func(s *Spec) *bool { return &s.Coloring.Source })),
	}
}

// ownColors are the colours of single kinds.
func ownColors() field {
	return field{typ: setting.Type{Kind: setting.Color},
		set: func(s *Spec, name string, v any) error {
			t, err := asText(v)
			if err != nil {
				return err
			}
			c, err := ParseColor(t)
			if err != nil {
				return err
			}
			if s.Coloring.Own == nil {
				s.Coloring.Own = core.Colors{}
			}
			s.Coloring.Own[starOf(name)] = c
			return nil
		},
		each: func(s *Spec, emit func(string, any)) {
			var kinds []string
			for kind := range s.Coloring.Own {
				kinds = append(kinds, kind)
			}
			slices.Sort(kinds)
			for _, kind := range kinds {
				emit("app_tasks."+kind+".color", s.Coloring.Own[kind].Hex())
			}
		}}
}

// starOf is what stands for the star of "app_tasks.*.color".
func starOf(name string) string {
	_, rest, _ := strings.Cut(name, ".")
	return rest[:strings.LastIndex(rest, ".")]
}

func alignments() (words []string) {
	for _, m := range layout.Alignments() {
		words = append(words, string(m))
	}
	return words
}
