package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The figure that the page offers is byte for byte what its command makes.
func TestExport(t *testing.T) {
	s := shared(t, n12)
	p := tab(t, 1280, 900)
	p.open(s.URL + "#v=1&w=90000000,160000000&p=st:300,ready&o=focus:GEMM&o=rows.order:idle&pane=export")
	for _, format := range []string{"svg", "png", "pdf"} {
		p.choose("select[aria-label=Format]", format)
		p.has(".pane-export a.btn|Download " + strings.ToUpper(format))
		p.until(`document.querySelector(".pane-export pre")?.textContent.includes(` + quote("."+format) + `)`)
		command := p.text(`document.querySelector(".pane-export pre").textContent`)
		if !strings.HasPrefix(command, "dagscope plot ") {
			t.Fatalf("the command is %q", command)
		}
		shown := p.eval(`(async () => { const r = await fetch(document.querySelector(".pane-export a.btn.primary").href); return [r.status, [...new Uint8Array(await r.arrayBuffer())]] })()`).([]any)
		if shown[0] != 200.0 {
			t.Fatalf("the figure is answered with %v", shown[0])
		}
		var page []byte
		for _, b := range shown[1].([]any) {
			page = append(page, byte(b.(float64)))
		}
		if made := runShell(t, command, format); !bytes.Equal(page, made) {
			t.Errorf("%s: the page's figure has %d bytes, that of %s has %d, and they differ", format, len(page), command, len(made))
		}
	}
}

// runShell runs a printed command as a user would, and returns the file that
// it makes.
func runShell(t *testing.T, command, format string) []byte {
	t.Helper()
	dir := t.TempDir()
	if err := os.Symlink(program, filepath.Join(dir, "dagscope")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{n12, n10} {
		os.Symlink(filepath.Join(work, name+".dsr"), filepath.Join(dir, name+".dsr"))
	}
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", command, err, out)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*."+format))
	if len(files) != 1 {
		t.Fatalf("%s made %v", command, files)
	}
	made, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// The numbers behind each panel are those of `dagscope data` for the window.
func TestDataIsThatOfTheCommandLine(t *testing.T) {
	s := shared(t, n12)
	p := tab(t, 1280, 900)
	p.open(s.URL + "#v=1&w=90000000,160000000&pane=data")
	for _, panel := range []string{"st", "kinds", "ready", "gflops", "bandwidth", "states", "iterations"} {
		p.command("data.panel", panel)
		p.has(".pane-data .vt-row")
		p.until(`document.querySelector(".pane-data pre")?.textContent.includes(` + quote(" "+panel+" ") + `)`)
		csv := p.text(`(async () => { const a = ` + finder(".pane-data a.btn|CSV") + `; a.focus(); return (await fetch(a.href)).text() })()`)
		command := p.text(`document.querySelector(".pane-data pre").textContent`)
		args := strings.Fields(command)[1:]
		args[1] = stored(t, args[1])
		if printed := string(run(t, args...)); printed != csv {
			t.Errorf("%s: the page has %d bytes, %s prints %d:\n%.200s\n%.200s", panel, len(csv), command, len(printed), csv, printed)
		}
	}
}
