package e2e

import (
	"reflect"
	"testing"

	"github.com/chromedp/chromedp"
)

// Every kind of state is in the address: the page opened from it is the same.
func TestPermalink(t *testing.T) {
	s := shared(t, n12)
	some := waiting(t, s)
	// Each opens what belongs to it in the side pane.
	patches := map[string]string{
		"tasks and options": `{ window: { t0: 100000000, t1: 150000001 }, origin: 123456789, options: { focus: "GEMM,SYRK", "rows.order": "idle", "rows.workers": "!CPU1" },
			panels: [{ id: "st", height: 333, options: { idle: "both" } }, { id: "kinds", height: null, options: {} }], theme: "dark",
			selected: { run: "` + n12 + `", key: "` + some.Key + `" }, pane: "task", levels: -1 }`,
		"areas": `{ area: { run: "` + n12 + `", t0: 1000, t1: 200000000, workers: ["CUDA0_0", "CPU0"], kinds: ["GEMM"], min: 100, max: 9000000 }, pane: "area",
			ruler: { t0: 5, t1: 1000000 }, marks: { label: "start, of ~", times: [1, 2, 300000000] } }`,
		"notes": `{ notes: [{ t: 12345, text: "here: a & b ~ 100 %, \u00fc#\u202f" }, { t: 99999999, text: "" }], pane: "notes", align: "progress", search: "kind:POTRF dur>1ms", panels: [] }`,
	}
	p := tab(t, 1280, 900)
	for name, patch := range patches {
		p.do(chromedp.Navigate("about:blank"))
		p.open(s.URL)
		p.set(patch)
		p.ready()
		before, hash := state[map[string]any](p, ""), p.settledHash()
		p.do(chromedp.Reload())
		p.ready()
		if after := state[map[string]any](p, ""); !reflect.DeepEqual(before, after) {
			t.Errorf("%s: %s opens\n%v, want\n%v", name, hash, after, before)
		}
		if again := p.text("location.hash"); again != hash {
			t.Errorf("%s: opening %s made it %s", name, hash, again)
		}
		if said := p.eval(`document.querySelector(".banners").textContent`); said != "" {
			t.Errorf("%s: opening %s warns: %v", name, hash, said)
		}
	}
}

// The same picture, too.
func TestPermalinkShowsTheSame(t *testing.T) {
	s := shared(t, n12)
	p := tab(t, 1280, 900)
	p.open(s.URL + "#v=1&w=90000000,160000000&p=st:300,ready&o=focus:GEMM")
	before := p.picture("0/st")
	p.do(chromedp.Reload())
	p.ready()
	if !p.looksLike("0/st", before) {
		t.Error("the page looks otherwise when it is opened again")
	}
	p.open(s.URL)
	if p.picture("0/st") == before {
		t.Error("a bare address looks like a part of the run in one kind")
	}
}

// An address that makes no sense opens what it can and says the rest.
func TestGarbageAddress(t *testing.T) {
	s := shared(t, n12)
	for _, hash := range []string{"#garbage", "#v=1&p=nosuchpanel,st&o=nonsense:1", "#v=1&w=-9e300,9e300"} {
		t.Run(hash, func(t *testing.T) {
			p := tab(t, 1280, 900)
			p.open(s.URL + hash)
			p.complains(hash)
			p.stillWorks(hash)
		})
	}
	p := tab(t, 1280, 900)
	p.open(s.URL)
	for _, hash := range []string{
		"#garbage", "#v=99&w=1,2", "#v=1&p=%zz&w=nan,inf", "#v=1&w=9,1", "#v=1&sel=" + n12 + "~no-such-task&pane=task", "#v=1&p=st:-5", "#v=1&o=rows.order:nonsense", "#v=1&unknown=1",
		"#v=1&area=elsewhere~1,2&pane=area", "#v=1&levels=1.5", "#v=1&pane=%3Cimg%20src%3Dx%3E&what", "#v=1&run=elsewhere~abc",
		"#v=1&note=1:" + "%3Cimg%20src%3Dx%20onerror%3D%22window.hacked%3D1%22%3E&pane=notes&nothing",
	} {
		p.eval("(document.querySelector('.banners').replaceChildren(), location.hash = " + quote(hash) + ")")
		p.until("window.__dagscope.store.state !== null")
		p.complains(hash)
	}
	p.stillWorks("all of these")
}

// complains says whether a page tells what is wrong with its address.
func (p *page) complains(hash string) {
	p.t.Helper()
	p.ready()
	said := "[...document.querySelectorAll('.banner, .error, .hint, .slot-message.error')].some((e) => e.textContent !== '')"
	if !p.soon(said) {
		p.t.Errorf("of %s the page says nothing", hash)
	}
	if p.eval("window.hacked === undefined") != true {
		p.t.Errorf("what stands in %s was run", hash)
	}
}

func (p *page) stillWorks(hash string) {
	p.t.Helper()
	p.set(`{ options: {}, panels: [{ id: "st", height: null, options: {} }], pane: null }`)
	p.command("view.fit", "")
	p.ready()
	if !p.painted("0/st") {
		p.t.Errorf("after %s the page cannot be used any more", hash)
	}
}

// settledHash is the hash of the address once it does not change any more: it
// follows the state a little later.
func (p *page) settledHash() string {
	p.t.Helper()
	return p.text(`(async () => {
		for (let last = "", same = 0; same < 6; ) {
			await new Promise((r) => setTimeout(r, 50));
			same = location.hash === last ? same + 1 : 0;
			last = location.hash;
		}
		return location.hash;
	})()`)
}
