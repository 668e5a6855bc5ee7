package scene

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestTimeTicksUnits(t *testing.T) {
	for _, c := range []struct {
		t0, t1 float64
		unit   string
		first  string
	}{
		{0, 31e9, "s", "0"}, {0, 9e9, "ms", "0"}, {200e6, 260e6, "ms", "200"},
		{1e6, 1.009e6, "µs", "1000"}, {-5, 100, "ns", "0"},
	} {
		ticks, unit := TimeTicks(c.t0, c.t1, 900, 11)
		if unit != c.unit || ticks[0].Label != c.first {
			t.Errorf("[%g, %g): unit %q from %q, want %q from %q", c.t0, c.t1, unit, ticks[0].Label, c.unit, c.first)
		}
	}
}

// Ticks lie in the window, in equal steps, and their labels do not meet.
func TestTicksProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo := rapid.Float64Range(-1e6, 1e6).Draw(t, "lo")
		span := math.Pow(10, rapid.Float64Range(-2, 6).Draw(t, "log span"))
		width := rapid.Float64Range(20, 3000).Draw(t, "width")
		ticks := Ticks(lo, lo+span, width, 11)
		scale := width / span
		for i, tick := range ticks {
			if tick.At < lo-span*1e-6 || tick.At > lo+span*(1+1e-6) {
				t.Fatalf("tick at %g outside [%g, %g]", tick.At, lo, lo+span)
			}
			if i == 0 {
				continue
			}
			room := (tick.At - ticks[i-1].At) * scale
			if w := (TextWidth(tick.Label, 11, false) + TextWidth(ticks[i-1].Label, 11, false)) / 2; room < w {
				t.Fatalf("labels %q and %q meet: %g px apart, %g wide", ticks[i-1].Label, tick.Label, room, w)
			}
		}
		if width >= 400 && len(ticks) < 2 {
			t.Fatalf("only %d ticks on %g px of [%g, %g]", len(ticks), width, lo, lo+span)
		}
	})
}

// ellipsisRuneByRune is Ellipsis, one rune after the other.
func ellipsisRuneByRune(s string, size float32, width float64) string {
	if TextWidth(s, size, false) <= width {
		return s
	}
	for runes := []rune(s); len(runes) > 0; runes = runes[:len(runes)-1] {
		if cut := string(runes) + "…"; TextWidth(cut, size, false) <= width {
			return cut
		}
	}
	return ""
}

func TestEllipsis(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "text")
		width := rapid.Float64Range(0, 300).Draw(t, "width")
		got := Ellipsis(s, 11, false, width)
		if TextWidth(got, 11, false) > width {
			t.Fatalf("%q is %g wide, want at most %g", got, TextWidth(got, 11, false), width)
		}
		if want := ellipsisRuneByRune(s, 11, width); got != want {
			t.Fatalf("%q is cut to %q, want %q", s, got, want)
		}
		if a, b := TextWidthUpTo(s, 11, false, width), TextWidth(s, 11, false); a != b && (a <= width || b <= width) {
			t.Fatalf("%q is %g wide up to %g, want %g", s, a, width, b)
		}
	})
	if got := Ellipsis("short", 11, false, 300); got != "short" {
		t.Errorf("a text that fits became %q", got)
	}
}

func TestWrapKeepsWordsInOrder(t *testing.T) {
	text := "No task ran and no state lasted in this run, and this sentence is long."
	lines := wrap(text, 11, false, 120)
	if len(lines) < 3 || strings.Join(lines, " ") != text {
		t.Errorf("wrap gave %q", lines)
	}
	for _, l := range lines {
		if TextWidth(l, 11, false) > 120 {
			t.Errorf("line %q is wider than asked", l)
		}
	}
}

// Flags of one level never overlap, none passes the right edge by more than
// the mark itself, and no leader crosses the label of a level below its own.
func TestFlagsProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var marks []Mark
		for range rapid.IntRange(1, 8).Draw(t, "n") {
			marks = append(marks, Mark{X: rapid.Float64Range(0, 900).Draw(t, "x"),
				Label: rapid.SampledFrom([]string{"ABE 347.6 ms", "CPE 151.2 ms", "makespan 31.37 s", "best"}).Draw(t, "label")})
		}
		body := &placer{x0: 50, scale: 1}
		labels, level, of := placeFlags(marks, body, 950)
		if len(labels) < min(len(marks), mostFlags) {
			t.Fatalf("%d of %d marks have a flag", len(labels), len(marks))
		}
		box := func(i int) Rectangle { return label(&labels[i], labels[i].X, 0).Bounds() }
		for i := range labels {
			if b := box(i); b.X1 > 952 || b.X0 < 0 {
				t.Fatalf("flag %q spans %g to %g", labels[i].S, b.X0, b.X1)
			}
			for j := range i {
				crosses := func(i, j int) bool { // the leader of i the label of j
					x := 50 + of[i].X
					return level[i] > level[j] && box(j).X0 < x-0.5 && x+0.5 < box(j).X1
				}
				over := func(i, j int) bool { x := 50 + of[i].X; return box(j).X0-1 < x && x < box(j).X1+1 }
				if crosses(i, j) && !over(j, i) || crosses(j, i) && !over(i, j) {
					t.Fatalf("a leader of %q and %q crosses the other", labels[i].S, labels[j].S)
				}
				if level[i] == level[j] && box(i).X0 < box(j).X1 && box(j).X0 < box(i).X1 {
					t.Fatalf("flags %q and %q meet on level %d", labels[i].S, labels[j].S, level[i])
				}
			}
		}
		if got := slices.Max(level); got >= min(len(of), mostFlags) {
			t.Fatalf("level %d for %d marks", got, len(of))
		}
	})
}

func TestColor(t *testing.T) {
	c, err := ParseColor("#0072b2")
	if err != nil || c != RGB(0x0072b2) || c.Hex() != "#0072b2" || c.Opacity() != 1 {
		t.Errorf("#0072b2 became %s, %v", c.Hex(), err)
	}
	if got := RGB(0).Mix(White, 0.5); got != RGB(0x808080) {
		t.Errorf("half way from black to white is %s", got.Hex())
	}
	for _, bad := range []string{"", "0072b2", "#0072b", "#0072b2ff", "#00g2b2"} {
		if _, err := ParseColor(bad); err == nil {
			t.Errorf("%q was taken for a colour", bad)
		}
	}
}

// Hatching covers a box wholly and stays inside it.
func TestHatchStaysInside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y := rapid.Float64Range(0, 500).Draw(t, "x"), rapid.Float64Range(0, 500).Draw(t, "y")
		r := Rectangle{x, y, x + rapid.Float64Range(0.1, 60).Draw(t, "w"), y + rapid.Float64Range(0.1, 60).Draw(t, "h")}
		var p Path
		hatch(&p, r)
		for _, pt := range p.Points {
			if pt.X < r.X0-1e-9 || pt.X > r.X1+1e-9 || pt.Y < r.Y0-1e-9 || pt.Y > r.Y1+1e-9 {
				t.Fatalf("hatching of %v reaches %v", r, pt)
			}
		}
		if r.X1-r.X0 > hatchGap && len(p.Points) == 0 {
			t.Fatalf("no hatching in %v", r)
		}
	})
}

func TestComposeTooNarrow(t *testing.T) {
	f := &Figure{Width: 120, T1: 1, Panels: []Panel{{Height: 10, Left: []Layer{{Unit: Pixels,
		Texts: []Text{{X: -6, S: "a long worker name", Size: 11, Anchor: End}}}}}}}
	if _, err := Compose(f); err == nil || !strings.Contains(err.Error(), "120 pixels") {
		t.Errorf("composing on 120 pixels gave %v", err)
	}
}
