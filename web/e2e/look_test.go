package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// panes of the side, each with what fills it.
func fullPanes(t *testing.T, s *server) []string {
	t.Helper()
	some := waiting(t, s)
	base := "#v=1&sel=" + n12 + "~" + some.Key + "&area=" + n12 + "~100000000,200000000&q=POTRF&note=1000000:here&ruler=0,1000000&pane="
	var out []string
	for _, pane := range []string{"findings", "task", "area", "search", "compare", "sql", "notes", "export", "data"} {
		out = append(out, base+pane)
	}
	return out
}

// Light and dark look different, and texts of both can be read: contrast 4.5
// and more against what is behind them (WCAG 2.2, 1.4.3).
func TestThemes(t *testing.T) {
	s := shared(t, n12)
	p := tab(t, 1440, 900)
	pictures := map[string]string{}
	for _, theme := range []string{"light", "dark"} {
		p.do(chromedp.Navigate("about:blank"))
		for i, hash := range fullPanes(t, s) {
			if i == 0 {
				p.open(s.URL + hash + "&theme=" + theme)
			} else {
				p.set(`{ pane: "` + hash[strings.LastIndex(hash, "=")+1:] + `" }`)
			}
			p.ready()
			p.until(`document.querySelector(".side-body").innerText.length > 40 && !/loading…|running…|drawing…/.test(document.querySelector(".side-body").innerText)`)
			for _, poor := range evaluate[[]string](p, poorContrast) {
				t.Errorf("%s, %s: %s", theme, hash[strings.LastIndex(hash, "&"):], poor)
			}
			p.see(theme + hash[strings.LastIndex(hash, "=")+1:])
		}
		pictures[theme] = p.picture("0/st")
	}
	if pictures["light"] == pictures["dark"] {
		t.Error("light and dark look the same")
	}
}

// poorContrast lists texts whose colour is too near to what is behind them.
const poorContrast = `(() => {
	const rgb = (c) => { const g = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true }); g.fillStyle = c; g.fillRect(0, 0, 1, 1); const d = g.getImageData(0, 0, 1, 1).data; return [d[0], d[1], d[2], d[3] / 255]; };
	const known = new Map(), color = (c) => known.get(c) ?? (known.set(c, rgb(c)), known.get(c));
	const over = (a, b) => [0, 1, 2].map((i) => a[i] * a[3] + b[i] * (1 - a[3]));
	const lin = (v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
	const light = (c) => 0.2126 * lin(c[0]) + 0.7152 * lin(c[1]) + 0.0722 * lin(c[2]);
	const behind = (e) => {
		const layers = [];
		for (let x = e; x; x = x.parentElement) { const c = color(getComputedStyle(x).backgroundColor); if (c[3] > 0) layers.push(c); if (c[3] === 1) break; }
		return layers.reverse().reduce((b, c) => over(c, b), [255, 255, 255]);
	};
	const out = new Set(), walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (walk.nextNode()) {
		const e = walk.currentNode.parentElement, text = walk.currentNode.textContent.trim();
		if (text === "" || !e.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
		if (e.closest("[disabled], .dim, .marks, .body, svg .hist-mark-text, option")) continue;
		const style = getComputedStyle(e), b = behind(e);
		const paint = e instanceof SVGElement ? style.fill : style.color;
		if (paint === "none") continue;
		const f = over(color(paint), b), [x, y] = [light(f), light(b)], ratio = (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
		if (ratio < 4.5) out.add(ratio.toFixed(2) + " of " + e.tagName.toLowerCase() + "." + (e.getAttribute("class") ?? "") + " in ." + (e.parentElement.getAttribute("class") ?? "") + ": " + text.slice(0, 30));
	}
	return [...out].slice(0, 12);
})()`

// At any width nothing is cut and no control lies on another one.
func TestSizes(t *testing.T) {
	s := shared(t, n12)
	p := tab(t, 1280, 720)
	p.open(s.URL + "#v=1&sel=" + n12 + "~" + waiting(t, s).Key + "&area=" + n12 + "~0,200000000")
	for _, size := range [][2]int64{{1280, 720}, {1920, 1080}, {3840, 2160}} {
		p.do(chromedp.EmulateViewport(size[0], size[1]))
		for _, pane := range []string{"null", `"task"`, `"area"`} {
			p.set(`{ pane: ` + pane + ` }`)
			if pane != "null" {
				p.has(".pane .sec")
			}
			p.ready()
			for _, wrong := range evaluate[[]string](p, misplaced) {
				t.Errorf("%d px, pane %s: %s", size[0], pane, wrong)
			}
			if b := p.body("0", "st"); b.W < 0.45*float64(size[0]) {
				t.Errorf("of %d px only %.0f are timeline", size[0], b.W)
			}
			p.see(fmt.Sprint(size[0], strings.Trim(pane, `"`)))
		}
	}
}

// misplaced lists controls that are cut by the page or covered by others, and
// texts that do not fit.
const misplaced = `(() => {
	const out = [], name = (e) => (e.getAttribute("aria-label") || e.textContent || e.className).trim().slice(0, 40);
	const controls = [...document.querySelectorAll("button, a[href], input, select, textarea, [role=tab]")].filter((e) => e.checkVisibility() && !e.closest(".vt-body"));
	for (const e of controls) {
		const r = e.getBoundingClientRect(), scrolled = ["scroll-x", "side-body", "scroller"].map((c) => e.closest("." + c)?.getBoundingClientRect()).filter((b) => b);
		if (scrolled.some((b) => r.bottom > b.bottom || r.top < b.top || r.right > b.right + 1)) continue;
		if (r.left < -0.5 || r.right > innerWidth + 0.5 || r.bottom > innerHeight + 0.5) out.push(name(e) + " is cut: " + [r.left, r.top, r.right, r.bottom].map(Math.round));
		const at = document.elementFromPoint((r.left + r.right) / 2, (r.top + r.bottom) / 2);
		if (at && at !== e && !e.contains(at) && !at.contains(e) && !(at.tagName === "LABEL")) out.push(name(e) + " lies below " + name(at));
		if (e.matches("button, a") && e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflow !== "visible" && getComputedStyle(e).display !== "inline") out.push(name(e) + " does not fit");
	}
	for (const [i, a] of controls.entries()) for (const b of controls.slice(i + 1)) {
		if (a.contains(b) || b.contains(a)) continue;
		const r = a.getBoundingClientRect(), q = b.getBoundingClientRect();
		const x = Math.min(r.right, q.right) - Math.max(r.left, q.left), y = Math.min(r.bottom, q.bottom) - Math.max(r.top, q.top);
		const same = a.closest(".side-body, .scroller") === b.closest(".side-body, .scroller");
		if (x > 1 && y > 1 && same) out.push(name(a) + " and " + name(b) + " overlap");
	}
	for (const svg of document.querySelectorAll(".margin-left, .margin-right")) {
		const box = svg.closest(".panel").getBoundingClientRect(), header = svg.closest(".panel").querySelector(".panel-header").getBoundingClientRect();
		for (const text of svg.querySelectorAll("text")) {
			const r = text.getBoundingClientRect();
			if (r.width > 0 && (r.left < box.left - 0.5 || r.right > box.right + 0.5)) out.push("label " + text.textContent + " is cut at the side");
		}
	}
	if (document.documentElement.scrollWidth > innerWidth) out.push("the page is wider than the window");
	return [...new Set(out)].slice(0, 12);
})()`
