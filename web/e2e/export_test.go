package e2e

import (
	"bytes"
	"encoding/base64"
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
		p.exportsAsCommand(format)
	}
}

// Also where runs are aligned.
func TestExportAligned(t *testing.T) {
	p := tab(t, 1280, 900)
	p.open(shared(t, n12, n10).URL + "#v=1&p=st&align=progress&w=0,300000000&pane=export")
	p.exportsAsCommand("svg")
	if command := p.content(".pane-export pre"); !strings.Contains(command, "--align progress") {
		t.Errorf("the command of an aligned view is %q", command)
	}
}

// exportsAsCommand compares the file that the tab offers with what its command
// makes.
func (p *page) exportsAsCommand(format string) {
	p.t.Helper()
	p.has(".pane-export a.btn|Download " + strings.ToUpper(format))
	p.until(`document.querySelector(".pane-export pre")?.textContent.includes(` + quote("."+format) + `)`)
	command := p.text(`document.querySelector(".pane-export pre").textContent`)
	if !strings.HasPrefix(command, "dagscope plot ") {
		p.t.Fatalf("the command is %q", command)
	}
	shown := evaluate[string](p, `(async () => {
		const r = await fetch(document.querySelector(".pane-export a.btn.primary").href);
		const read = new FileReader();
		read.readAsDataURL(await r.blob());
		await new Promise((done) => { read.onload = done });
		return r.status + " " + read.result.split(",")[1];
	})()`)
	status, body, _ := strings.Cut(shown, " ")
	file, err := base64.StdEncoding.DecodeString(body)
	if status != "200" || err != nil {
		p.t.Fatalf("the figure is answered with %s %v", status, err)
	}
	if made := runShell(p.t, command, format); !bytes.Equal(file, made) {
		p.t.Errorf("%s: the page's figure has %d bytes, that of %s has %d, and they differ", format, len(file), command, len(made))
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
		if printed := string(run(t, strings.Fields(command)[1:]...)); printed != csv {
			t.Errorf("%s: the page has %d bytes, %s prints %d:\n%.200s\n%.200s", panel, len(csv), command, len(printed), csv, printed)
		}
	}
}
