package cli

import (
	"image/gif"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// plotWith runs plot on a bundled run.
func plotWith(t *testing.T, arguments ...string) error {
	t.Helper()
	cmd := newPlot()
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(append([]string{filepath.Join("..", "testdata", "starpu", "sg-mirage-n12-dmdas")}, arguments...))
	return cmd.Execute()
}

// TestAnimation draws an animation and reads it again.
func TestAnimation(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.gif")
	if err := plotWith(t, "-o", file, "--panels", "snapshot", "--frames", "5", "--width", "500", "--dpi", "96"); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	g, err := gif.DecodeAll(f)
	if err != nil || len(g.Image) != 5 || g.Config.Width != 500 {
		t.Errorf("found %v, %v, want 5 frames 500 pixels wide", g.Config, err)
	}
}

// TestAnimationNeedsSnapshot checks what is said of an animation of nothing.
func TestAnimationNeedsSnapshot(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.gif")
	for want, arguments := range map[string][]string{
		"snapshot": {"--panels", "st"}, "--frames 0": {"--panels", "snapshot", "--frames", "0"},
	} {
		if err := plotWith(t, append(arguments, "-o", file)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: found %v, want an error with %q", arguments, err, want)
		}
	}
}
