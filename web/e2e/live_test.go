package e2e

import "testing"

func TestOpen(t *testing.T) {
	s := serve(t, bundled("sg-mirage-n12-dmdas"))
	p := tab(t, 1280, 900)
	p.open(s.URL)
	if title := p.text("document.title"); title == "" {
		t.Error("the page has no title")
	}
}
