package e2e

import (
	"path/filepath"
	"testing"

	"dagscope/internal/testenv"
)

// TestPictures makes the pictures of docs/serve.md in the directory that
// DAGSCOPE_PICTURES names (docs/live.sh); it is no test otherwise.
func TestPictures(t *testing.T) {
	dir := testenv.Setting(t, "DAGSCOPE_PICTURES", "a folder for the pictures of the documentation")
	s := shared(t, n12)
	for name, hash := range map[string]string{
		"findings": "p=st,ready&pane=findings",
		"task":     "p=st,ready&w=270000000,450000000&levels=5&pane=task&sel=" + n12 + "~546",
		"area":     "p=st,ready&pane=area&area=" + n12 + "~370000000,450000000",
	} {
		p := tab(t, 1200, 640)
		p.open(s.URL + "#v=1&theme=light&" + hash)
		p.until(`document.querySelector(".side-body").innerText.length > 200`)
		p.ready()
		p.shot(filepath.Join(dir, "live-"+name+".png"))
	}
}
