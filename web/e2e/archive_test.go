package e2e

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dagscope/internal/testenv"
)

// archived is an archive of a bundled run. Compiling its engine takes a minute.
func archived(t *testing.T, name string) string {
	t.Helper()
	testenv.Slow(t)
	dir := filepath.Join(work, name+"-archive")
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	cmd := command("archive", stored(t, name), "-o", dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("archive: %v: %s", err, out)
	}
	return dir
}

// An archive is the same live view, from a disk and from any web server.
func TestArchive(t *testing.T) {
	s := shared(t, n12)
	dir := archived(t, n12)
	static := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(static.Close)
	served := tab(t, 1280, 900)
	served.open(s.URL + "#v=1&theme=light")
	panels := served.order()
	for name, address := range map[string]string{"file": "file://" + filepath.Join(dir, "index.html"), "http": static.URL + "/index.html"} {
		t.Run(name, func(t *testing.T) {
			p := tab(t, 1280, 900)
			p.open(address + "#v=1&theme=light")
			if found := p.order(); strings.Join(found, " ") != strings.Join(panels, " ") {
				t.Errorf("the archive shows %v, the server %v", found, panels)
			}
			compared := panels
			if name != "file" {
				compared = compared[:1] // it takes its time
			}
			for _, panel := range compared {
				if !p.looksLike("0/"+panel, served.picture("0/"+panel)) {
					t.Errorf("panel %s of the archive is not that of the server", panel)
					p.see("archive-" + panel)
					served.see(name + "-" + panel)
				}
			}
			want := waiting(t, s)
			p.clickAt(p.placeOf("0", want.task))
			p.has(".task-title|" + want.Key)
			pane := p.content(".pane-task|What it waited for")
			for _, w := range plain(want.Words) {
				if !strings.Contains(pane, w) {
					t.Errorf("the archive does not say %q", w)
				}
			}
			a := dragArea(p)
			sel := get[selection](t, s, "runs/0/select", a.params()...)
			p.has(".pane-area .bars li|no task")
			if head := p.content(".pane-area header"); !strings.Contains(head, counted(sel.Tasks, "task")) {
				t.Errorf("the area's head is %q, want %d tasks", head, sel.Tasks)
			}
			for _, k := range sel.Kinds {
				if line := p.content(".bars li|" + k.Kind); !strings.Contains(line, percent(k.Share)) {
					t.Errorf("%s is %q, want %s", k.Kind, line, percent(k.Share))
				}
			}
			foreign := evaluate[[]string](p, `performance.getEntriesByType("resource").map((e) => e.name).filter((n) => !n.startsWith("blob:") && !n.startsWith(new URL(".", location.href).href))`)
			if len(foreign) > 0 {
				t.Errorf("the archive asked elsewhere: %v", foreign)
			}
			// The page's policy lets nothing in or out, whatever asks.
			for what, ask := range map[string]string{
				"fetch": `fetch("` + s.URL + `api/v1/session", { mode: "no-cors" }).then(() => "sent", () => "refused")`,
				"image": `new Promise((resolve) => { const i = new Image(); i.onload = () => resolve("sent"); i.onerror = () => resolve("refused"); document.addEventListener("securitypolicyviolation", () => resolve("policy"), { once: true }); i.src = "` + s.URL + `x.png" })`,
			} {
				if found := p.text(ask); found == "sent" || what == "image" && found != "policy" {
					t.Errorf("%s in the archive: %s", what, found)
				}
			}
		})
	}
}

// An archive of which a part is missing says so.
func TestCutArchive(t *testing.T) {
	dir := archived(t, n12)
	cut := filepath.Join(t.TempDir(), "cut")
	if err := os.CopyFS(cut, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(cut, "data", "2.js")); err != nil {
		t.Fatal(err)
	}
	p := tab(t, 1280, 900)
	p.navigate("file://" + filepath.Join(cut, "index.html"))
	p.has(".banner|2.js")
}
