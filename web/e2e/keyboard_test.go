package e2e

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Roles that a user acts on.
var controls = []string{"button", "link", "textbox", "searchbox", "combobox", "checkbox", "radio", "tab", "slider", "spinbutton", "menuitem",
	"menuitemcheckbox", "separator", "option", "grid", "switch", "listbox", "dialog"}

// Every control has a name that a screen reader can say.
func TestAccessibleNames(t *testing.T) {
	s := shared(t, n12)
	p := tab(t, 1440, 900)
	for i, hash := range fullPanes(t, s) {
		pane := hash[strings.LastIndex(hash, "=")+1:]
		if i == 0 {
			p.open(s.URL + hash)
		} else {
			p.set(`{ pane: "` + pane + `" }`)
		}
		p.ready()
		p.named(pane)
	}
	for _, command := range []string{"palette.open", "help.open", "options.rows", "options.all", "panels.choose"} {
		p.command(command, "")
		p.has("dialog[open]")
		p.named(command)
		p.keys(kb.Escape)
		p.gone("dialog[open]")
	}
	p.click("button[aria-label='Menu of panel Space-time']")
	p.named("menu")
}

// named reports controls without a name.
func (p *page) named(where string) {
	p.t.Helper()
	tree, err := chromedp.Run(p.ctx, func(ctx context.Context, t *chromedp.Target) (accessibility.GetFullAXTreeResult, error) {
		return cdp.Call(ctx, t, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	})
	if err != nil {
		p.t.Fatal(err)
	}
	seen := 0
	for _, n := range tree.Nodes {
		if n.Ignored || n.Role == nil || !slices.Contains(controls, valueOf(n.Role)) {
			continue
		}
		seen++
		if strings.TrimSpace(valueOf(n.Name)) == "" && !(valueOf(n.Role) == "separator" && !focusable(n)) {
			p.t.Errorf("%s: a %s has no name", where, valueOf(n.Role))
		}
	}
	if seen < 3 {
		p.t.Errorf("%s: found only %d controls", where, seen)
	}
}

func focusable(n *accessibility.Node) bool {
	return slices.ContainsFunc(n.Properties, func(x *accessibility.Property) bool { return string(x.Name) == "focusable" })
}

func valueOf(v *accessibility.Value) string {
	if v == nil {
		return ""
	}
	var s string
	json.Unmarshal([]byte(v.Value), &s)
	return s
}

// The keyboard reaches everything: Tab goes through toolbar, panels and side
// pane in the order of the page, each stop can be seen to have the focus, and
// nothing is stuck.
func TestTabOrder(t *testing.T) {
	s := shared(t, n12)
	p := tab(t, 1280, 900)
	p.open(s.URL + "#v=1&p=st,ready&pane=task&sel=" + n12 + "~" + waiting(t, s).Key)
	p.has(".task-title")
	p.eval("document.activeElement.blur()")
	type stop struct {
		Name, Where string
		Ring        bool
	}
	var stops []stop
	for range 150 {
		p.keys(kb.Tab)
		at := evaluate[stop](p, `(() => {
			const e = document.activeElement, style = getComputedStyle(e);
			const where = e.closest(".top") ? "toolbar" : e.closest(".timeline") ? "timeline" : e.closest(".side") ? "side" : "";
			const ring = e.matches(":focus-visible") && (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0 || style.boxShadow !== "none");
			return { Name: e.tagName + " " + (e.getAttribute("aria-label") || e.title || e.textContent || e.id).trim().slice(0, 40), Where: where, Ring: ring };
		})()`)
		if len(stops) > 0 && at.Name == stops[0].Name || at.Where == "" && len(stops) > 3 {
			break
		}
		stops = append(stops, at)
	}
	var order []string
	for _, at := range stops {
		if !at.Ring && at.Where != "" {
			t.Errorf("%s in %s has the focus, which cannot be seen", at.Name, at.Where)
		}
		if at.Where != "" && (len(order) == 0 || order[len(order)-1] != at.Where) {
			order = append(order, at.Where)
		}
	}
	if !slices.Equal(order, []string{"toolbar", "timeline", "side"}) {
		t.Errorf("Tab goes through %v: %v", order, stops)
	}
	for _, want := range []string{"Search", "Zoom in", "Add panel", "Help", "Menu of panel Space-time", "GEMM", "Height of", "Copy link"} {
		if !slices.ContainsFunc(stops, func(x stop) bool { return strings.Contains(x.Name, want) }) {
			t.Errorf("Tab does not reach %q", want)
		}
	}
}

// A task is found, looked at and followed without a mouse.
func TestWithoutMouse(t *testing.T) {
	s := shared(t, n12)
	p := tab(t, 1280, 900)
	p.open(s.URL)
	hits := someTasks(t, s, "kind:SYRK")
	p.keys("/")
	p.until("document.activeElement?.id === 'search-box'")
	p.keys("kind:SYRK" + kb.Enter)
	p.until("window.__dagscope.store.state.selected?.key === " + quote(hits[0].Key))
	p.keys(kb.Escape)
	p.until("document.activeElement?.id !== 'search-box'")
	p.until("window.__dagscope.commands.get('task.fit').when()")
	p.keys("f")
	p.until("window.__dagscope.store.state.window.t1 - window.__dagscope.store.state.window.t0 < 1e8")
	p.keys("[")
	p.until("window.__dagscope.store.state.selected?.key !== " + quote(hits[0].Key))
	p.keys("p")
	p.gone(".side")
	p.click("button[aria-label='Menu of panel Space-time']")
	p.keys(kb.ArrowDown + kb.Escape)
	p.gone(".menu")
	if label := p.text("document.activeElement.getAttribute('aria-label') ?? ''"); !strings.Contains(label, "Menu of panel") {
		t.Errorf("after the menu the focus is on %q", label)
	}
}
