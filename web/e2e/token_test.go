package e2e

import (
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// The printed address opens the view, also with a view behind "#"; the token
// does not stay in the address, and pages and workers need no more than the
// cookie. Without either there is a sentence.
func TestToken(t *testing.T) {
	s, err := startAs(stored(t, n12))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.stop)
	address, err := url.Parse(s.URL)
	if err != nil || address.Query().Get("token") == "" {
		t.Fatalf("found %s, %v, want an address with a token", s.URL, err)
	}
	plain := address.Scheme + "://" + address.Host + "/"
	p := tab(t, 1280, 900)
	p.do(chromedp.Navigate(plain))
	if said := p.text("document.body.textContent"); !strings.Contains(said, "the address that dagscope serve printed") {
		t.Errorf("without the token: found %q", said)
	}
	p.open(s.URL + "#v=1&p=st&theme=dark")
	if at := p.text("location.href"); strings.Contains(at, "token") || !strings.HasPrefix(at, plain+"#") || !strings.Contains(at, "theme=dark") {
		t.Errorf("found the address %s, want the view without the token", at)
	}
	p.ready()
	if !p.painted("0/st") {
		t.Error("the panel is not painted")
	}
	if cookies := p.text("document.cookie"); cookies != "" {
		t.Errorf("scripts can read the cookie %s", cookies)
	}
	p.open(plain + "#v=1&p=ready")
	p.ready()
	if !p.painted("0/ready") {
		t.Error("the cookie does not open the view")
	}
}
