package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Inputs larger than this are no seeds: the fuzzer makes larger ones of them.
const largestSeed = 2000

// keepSeeds copies inputs of the cache to testdata/fuzz: the smallest first, each
// that reaches a block of this module that neither the seeds nor those copied
// before reach, until there are as many bytes as are wanted.
func keepSeeds(ctx context.Context, o *options, chosen []*target) error {
	total := int64(0)
	for _, t := range chosen {
		used, err := output(ctx, ".", "go", "list", "-deps", "-f", "{{if .Module}}{{if .Module.Main}}{{.ImportPath}}{{end}}{{end}}", t.Package)
		if err != nil {
			return err
		}
		binary, err := build(ctx, o, t, "-cover", "-coverpkg="+strings.Join(strings.Fields(used), ","))
		if err != nil {
			return err
		}
		kept, bytes, err := keepSeedsOf(ctx, o, t, binary)
		if err != nil {
			return fmt.Errorf("keep seeds of %s: %w", t, err)
		}
		total += bytes
		fmt.Printf("%s: %d inputs, %d bytes\n", t, kept, bytes)
	}
	fmt.Printf("%d bytes in all\n", total)
	return nil
}

type input struct {
	name string
	size int64
}

func keepSeedsOf(ctx context.Context, o *options, t *target, binary string) (kept int, size int64, err error) {
	cache := filepath.Join(o.corpus, filepath.FromSlash(t.Package), t.Name)
	files, err := os.ReadDir(cache)
	if os.IsNotExist(err) {
		return 0, 0, nil
	}
	if err != nil {
		return 0, 0, err
	}
	seeds := filepath.Join(t.Dir, "testdata", "fuzz", t.Name)
	var candidates []input
	for _, f := range files {
		info, err := f.Info()
		if err != nil {
			return 0, 0, err
		}
		if _, err := os.Stat(filepath.Join(seeds, f.Name())); err == nil || info.Size() > largestSeed {
			continue
		}
		candidates = append(candidates, input{f.Name(), info.Size()})
	}
	slices.SortFunc(candidates, func(a, b input) int {
		return cmp.Or(cmp.Compare(a.size, b.size), strings.Compare(a.name, b.name))
	})
	reached := map[string]bool{}
	if _, err := reach(ctx, t, binary, "^"+t.Name+"$", reached); err != nil {
		return 0, 0, fmt.Errorf("run its seeds: %w", err)
	}
	if err := os.MkdirAll(seeds, 0o777); err != nil {
		return 0, 0, err
	}
	defer os.Remove(seeds) // if it is empty
	for _, c := range candidates {
		if size+c.size > int64(o.seeds) {
			break
		}
		path := filepath.Join(seeds, c.name)
		text, err := os.ReadFile(filepath.Join(cache, c.name))
		if err != nil {
			return kept, size, err
		}
		if err := os.WriteFile(path, text, 0o666); err != nil {
			return kept, size, err
		}
		added, err := reach(ctx, t, binary, "^"+t.Name+"$/^"+c.name+"$", reached)
		if err != nil {
			return kept, size, fmt.Errorf("run %s: %w", path, err) // it stays: it fails
		}
		if added == 0 {
			if err := os.Remove(path); err != nil {
				return kept, size, err
			}
			continue
		}
		kept, size = kept+1, size+c.size
	}
	return kept, size, nil
}

// reach runs tests and adds the blocks that they reach; it returns how many are new.
func reach(ctx context.Context, t *target, binary, tests string, reached map[string]bool) (added int, err error) {
	profile, err := os.CreateTemp("", "dagscope-fuzz-*.cover")
	if err != nil {
		return 0, err
	}
	defer os.Remove(profile.Name())
	defer profile.Close()
	cmd := exec.CommandContext(ctx, binary, "-test.run="+tests, "-test.coverprofile="+profile.Name())
	cmd.Dir = t.Dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%w\n%s", err, tail(out, 20))
	}
	lines := bufio.NewScanner(profile)
	for lines.Scan() {
		// dagscope/read/read.go:12.34,15.2 3 1: place, statements, executions
		if block, ok := bytes.CutSuffix(lines.Bytes(), []byte(" 1")); ok && !reached[string(block)] {
			reached[string(block)] = true
			added++
		}
	}
	return added, lines.Err()
}
