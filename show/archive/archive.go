// Package archive writes the live view of runs as static files: the client, the
// server compiled to WebAssembly, and the run directories. Whoever has the
// folder can put it on any web server or open its index.html, without dagscope.
//
// The problem is file://. A page opened from a disk may load scripts and
// nothing else: no modules, no fetch. So everything binary travels as scripts
// that hand base64 texts to the page, in parts of a few megabytes, so that a
// page can say how far it is and no text is too long for a browser. The parts
// that the page unpacks are listed in data/index.js.
//
// What it does not do: it makes nothing smaller than the run directory is. A
// page holds the whole run in memory, which browsers bound (see MaxBytes).
package archive

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"dagscope/internal/wholefile"
)

// Run is a run directory to be archived.
type Run struct {
	Name  string
	Files fs.FS // of the run directory, all at its top
	// Steady has the files read, and reports whether they were of one run from the
	// first to the last; nil for files that nobody replaces.
	Steady func(read func() error) error
}

// Engine is the server as WebAssembly, with what starts it.
type Engine struct {
	Wasm []byte // gzip
	Exec []byte // wasm_exec.js of the Go release that compiled it
}

// MaxBytes is the size of the run directories beyond which a page runs out of
// memory: decoded tables take several times as much, and WebAssembly has 4 GiB.
const MaxBytes = 384 << 20

// partBytes is the size of a part before base64; a multiple of three.
const partBytes = 3 << 20

const (
	dataDir   = "data"
	indexPage = "index.html"
	// marker is what an archive is known by, so that an older one may be replaced.
	marker = dataDir + "/index.js"
)

// Write writes an archive into dir, which must not exist, be empty, or be an
// archive, by a version of the program. The older archive is replaced only when the new one is complete.
func Write(dir, version string, client fs.FS, engine Engine, runs []Run) error {
	if err := CheckTarget(dir); err != nil {
		return err
	}
	if err := checkSizes(runs); err != nil {
		return err
	}
	if err := write(dir, &writer{index: index{Version: version}}, client, engine, runs); err != nil {
		return fmt.Errorf("write archive %s: %w", dir, err)
	}
	return nil
}

// write fills a directory next to dir and exchanges the two.
func write(dir string, w *writer, client fs.FS, engine Engine, runs []Run) error {
	dir = filepath.Clean(dir)
	if target, err := filepath.EvalSymlinks(dir); err == nil {
		dir = target // a link to an archive stays one
	}
	if err := wholefile.Clear(dir); err != nil {
		return err
	}
	w.dir = wholefile.Beside(dir)
	if err := os.Mkdir(w.dir, 0o777); err != nil {
		return err
	}
	err := w.write(client, engine, runs)
	if err == nil {
		err = wholefile.Install(w.dir, dir)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(w.dir))
	}
	return nil
}

// CheckTarget reports whether Write may use dir.
func CheckTarget(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("write archive %s: %w", dir, err)
	case len(entries) == 0:
		return nil
	}
	if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(marker))); err != nil {
		return fmt.Errorf("write archive %s: it holds other things; want a new directory, an empty one or an older archive", dir)
	}
	return nil
}

func checkSizes(runs []Run) error {
	total := int64(0)
	for _, r := range runs {
		names, err := fs.ReadDir(r.Files, ".")
		if err != nil {
			return fmt.Errorf("read run %s: %w", r.Name, err)
		}
		for _, n := range names {
			info, err := n.Info()
			if err != nil {
				return fmt.Errorf("read run %s: %w", r.Name, err)
			}
			total += info.Size()
		}
	}
	if total > MaxBytes {
		return fmt.Errorf("archive %d MB of runs: a page holds %d MB at most; serve them with dagscope serve", total>>20, MaxBytes>>20)
	}
	return nil
}

// index is what data/index.js tells the page.
type index struct {
	Version string     `json:"version"` // of the program that wrote it
	Engine  []string   `json:"engine"`  // names of files, in parts
	Runs    []runIndex `json:"runs"`
	Parts   []part     `json:"parts"` // in the order in which they are loaded
}

type runIndex struct {
	Name  string            `json:"name"`
	Files map[string]string `json:"files"` // name in the run directory → name of the file among the parts
}

// part is a script that holds bytes of a file.
type part struct {
	Script string `json:"script"`
	File   string `json:"file"`
	At     int64  `json:"at"`
	Bytes  int    `json:"bytes"`
}

type writer struct {
	dir   string
	index index
}

func (w *writer) write(client fs.FS, engine Engine, runs []Run) error {
	if err := os.Mkdir(filepath.Join(w.dir, dataDir), 0o777); err != nil {
		return err
	}
	if err := w.client(client); err != nil {
		return err
	}
	w.index.Engine = []string{"engine.wasm.gz", "wasm_exec.js"}
	for i, data := range [][]byte{engine.Wasm, engine.Exec} {
		if err := w.file(w.index.Engine[i], strings.NewReader(string(data))); err != nil {
			return err
		}
	}
	for i := range runs {
		read := func() error { return w.run(i, &runs[i]) }
		if steady := runs[i].Steady; steady != nil {
			whole := read
			read = func() error { return steady(whole) }
		}
		if err := read(); err != nil {
			return fmt.Errorf("run %s: %w", runs[i].Name, err)
		}
	}
	text, err := json.Marshal(w.index)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(w.dir, filepath.FromSlash(marker)), fmt.Appendf(nil, "window.dagscopeArchive = %s;\n", text), 0o666)
}

// client copies the client; its page loads the index before all else.
func (w *writer) client(client fs.FS) error {
	return fs.WalkDir(client, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(w.dir, filepath.FromSlash(name))
		if d.IsDir() {
			return os.MkdirAll(to, 0o777)
		}
		data, err := fs.ReadFile(client, name)
		if err != nil {
			return err
		}
		if name == indexPage {
			if data, err = archivePage(data); err != nil {
				return err
			}
		}
		return os.WriteFile(to, data, 0o666)
	})
}

// policy keeps the page of an archive from fetching anything from elsewhere, and
// from sending anything: all that it takes are its own scripts and style (file:
// where it is opened from a disk, which not every browser calls 'self'), its
// workers, which are texts inside the scripts, and WebAssembly.
const policy = "default-src 'none'; script-src 'self' file: blob: 'wasm-unsafe-eval'; worker-src blob:; style-src 'self' file: 'unsafe-inline'; " +
	"img-src data: blob:; object-src 'none'; base-uri 'none'; form-action 'none'"

// archivePage gives a page its policy, before anything that it applies to, and
// makes it load the index first.
func archivePage(page []byte) ([]byte, error) {
	head, rest, ok := strings.Cut(string(page), "<head>")
	if !ok {
		return nil, errors.New("the client's page has no head")
	}
	before, after, ok := strings.Cut(rest, "<script")
	if !ok {
		return nil, errors.New("the client's page loads no script")
	}
	return []byte(head + "<head>\n    " + `<meta http-equiv="Content-Security-Policy" content="` + policy + `" />` +
		before + `<script src="` + marker + `"></script>` + "\n    <script" + after), nil
}

func (w *writer) run(i int, r *Run) error {
	entry := runIndex{Name: r.Name, Files: make(map[string]string)}
	names, err := fs.ReadDir(r.Files, ".")
	if err != nil {
		return err
	}
	for _, n := range names {
		if !n.Type().IsRegular() {
			continue
		}
		f, err := r.Files.Open(n.Name())
		if err != nil {
			return err
		}
		as := fmt.Sprintf("%d-%s", i, n.Name())
		if err := errors.Join(w.file(as, f), f.Close()); err != nil {
			return err
		}
		entry.Files[n.Name()] = as
	}
	w.index.Runs = append(w.index.Runs, entry)
	return nil
}

// file writes a file as parts.
func (w *writer) file(name string, from io.Reader) error {
	buf := make([]byte, partBytes)
	for at := int64(0); ; {
		n, err := io.ReadFull(from, buf)
		if n > 0 || at == 0 {
			if err := w.part(name, at, buf[:n]); err != nil {
				return err
			}
			at += int64(n)
		}
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return nil
		case err != nil:
			return err
		}
	}
}

func (w *writer) part(name string, at int64, data []byte) error {
	p := part{Script: path.Join(dataDir, fmt.Sprintf("%d.js", len(w.index.Parts))), File: name, At: at, Bytes: len(data)}
	text := fmt.Appendf(nil, "dagscopeArchive.take(%d,\"", len(w.index.Parts))
	text = append(base64.StdEncoding.AppendEncode(text, data), "\");\n"...)
	w.index.Parts = append(w.index.Parts, p)
	return os.WriteFile(filepath.Join(w.dir, filepath.FromSlash(p.Script)), text, 0o666)
}
