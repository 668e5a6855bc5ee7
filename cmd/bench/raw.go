package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// rawTraces compares reading the raw traces of a run with converting them,
// which leaves text still to be read.
func (b *bench) rawTraces() error {
	packed, err := filepath.Glob(filepath.Join(b.data, "fxt", "prof_file_*.zst"))
	if err != nil || len(packed) == 0 {
		fmt.Printf("\nfound no raw traces in %s\n", filepath.Join(b.data, "fxt"))
		return err
	}
	paths, bytes, err := b.unpackRaw(packed)
	if err != nil {
		return err
	}
	events, err := countEvents(filepath.Join(b.data, "number_events.data"))
	if err != nil {
		return err
	}
	fmt.Printf("\nraw traces of %s, %d events in %.1f MB, median of %d runs\n\n", filepath.Base(b.data), events, float64(bytes)/1e6, b.runs)
	fmt.Printf("%-34s %8s %8s %14s %10s\n", "", "wall s", "CPU s", "events/CPU-s", "peak MB")
	run := filepath.Join(b.dir, "raw.dsr")
	command := append([]string{b.program, "import", "-o", run}, paths...)
	if err := b.row("dagscope import (raw traces)", events, func() error { return os.RemoveAll(run) }, command...); err != nil {
		return err
	}
	peer, err := exec.LookPath("starpu_fxt_tool")
	if err != nil {
		fmt.Println("starpu_fxt_tool is not installed: it comes with a StarPU that is built with FxT")
		return nil
	}
	converted := filepath.Join(b.dir, "converted")
	if err := os.MkdirAll(converted, 0o755); err != nil {
		return err
	}
	command = []string{peer, "-memory-states", "-c", "-d", converted}
	for _, path := range paths {
		command = append(command, "-i", path)
	}
	if err := b.row("starpu_fxt_tool (to text)", events, nil, command...); err != nil {
		fmt.Println(err) // one built for SimGrid wants the models of a machine
	}
	return nil
}

// unpackRaw puts the traces into the working directory, plain.
func (b *bench) unpackRaw(packed []string) (paths []string, bytes int64, err error) {
	dir := filepath.Join(b.dir, "raw")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, 0, err
	}
	for _, from := range packed {
		to := filepath.Join(dir, strings.TrimSuffix(filepath.Base(from), ".zst"))
		out, err := os.Create(to)
		if err != nil {
			return nil, 0, err
		}
		err = unpack(from, out)
		if e := out.Close(); err == nil {
			err = e
		}
		if err != nil {
			return nil, 0, err
		}
		info, err := os.Stat(to)
		if err != nil {
			return nil, 0, err
		}
		paths, bytes = append(paths, to), bytes+info.Size()
	}
	return paths, bytes, nil
}

// countEvents sums what starpu_fxt_tool -number-events counted.
func countEvents(path string) (n int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var code, count int64
		if _, err := fmt.Sscanf(lines.Text(), "0x%x %d", &code, &count); err == nil {
			n += count
		}
	}
	return n, lines.Err()
}
