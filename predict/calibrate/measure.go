package calibrate

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// BuildOptions say how the emitted program is built.
type BuildOptions struct {
	CC   string   // "" for $CC, cc
	Libs []string // words for the linker; nil: the first of Libraries that works
}

// Libraries are those that have LAPACK, in the order in which they are tried.
var Libraries = [][]string{
	{"-lopenblas"}, {"-l:libopenblas.so.0"}, {"-lflexiblas"}, {"-lmkl_rt"}, {"-lblis", "-lflame"}, {"-llapack", "-lblas"}, {"-l:liblapack.so.3", "-l:libblas.so.3"},
}

// Program is a built benchmark.
type Program struct {
	Path string
	With string // the command that built it
}

// Build writes the program of a design into a directory and compiles it.
func (d *Design) Build(ctx context.Context, dir string, o BuildOptions) (*Program, error) {
	source := filepath.Join(dir, "bench.c")
	if err := os.WriteFile(source, []byte(d.C()), 0o644); err != nil {
		return nil, fmt.Errorf("write benchmark: %w", err)
	}
	compiler := strings.Fields(cmp.Or(o.CC, cmp.Or(os.Getenv("CC"), "cc")))
	if len(compiler) == 0 {
		compiler = []string{"cc"}
	}
	if _, err := exec.LookPath(compiler[0]); err != nil {
		return nil, fmt.Errorf("build benchmark: found no C compiler %s, want one (apt-get install gcc libopenblas-dev), --emit FILE.c to build it elsewhere, or --pure-go: %w", compiler[0], err)
	}
	choices := Libraries
	if o.Libs != nil {
		choices = [][]string{o.Libs}
	}
	var first error
	for _, libs := range choices {
		p := &Program{Path: filepath.Join(dir, "bench")}
		args := append(append(compiler[1:len(compiler):len(compiler)], "-O2", "-o", p.Path, source), append(libs, "-lpthread", "-lm")...)
		p.With = strings.Join(append([]string{compiler[0], "-O2", "bench.c"}, append(libs, "-lpthread", "-lm")...), " ")
		out, err := exec.CommandContext(ctx, compiler[0], args...).CombinedOutput()
		if err == nil {
			return p, nil
		}
		if first == nil {
			first = fmt.Errorf("%s: %w: %s", p.With, err, lastLine(out))
		}
	}
	return nil, fmt.Errorf("build benchmark: found no LAPACK, want one (apt-get install libopenblas-dev), the linker's words by --libs, or --pure-go: %w", first)
}

// lastLine is what a failed command said last.
func lastLine(out []byte) string {
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	return string(lines[len(lines)-1])
}

// Run makes the measurements beside others on each number of threads, and
// writes them to a file.
func (p *Program) Run(ctx context.Context, file string, threads []int) error {
	out, err := os.Create(file)
	if err != nil {
		return fmt.Errorf("write timings: %w", err)
	}
	cmd := exec.CommandContext(ctx, p.Path)
	for _, t := range threads {
		cmd.Args = append(cmd.Args, strconv.Itoa(t))
	}
	// A library that is threaded by itself would measure the machine, not a worker.
	cmd.Env = append(os.Environ(), "OPENBLAS_NUM_THREADS=1", "OMP_NUM_THREADS=1", "MKL_NUM_THREADS=1", "BLIS_NUM_THREADS=1")
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = out, &said
	if err := errors.Join(cmd.Run(), out.Close()); err != nil {
		return fmt.Errorf("run benchmark: %w: %s", err, lastLine(said.Bytes()))
	}
	return nil
}
