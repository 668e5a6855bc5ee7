package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const root = "../.."

// pages are those whose commands docs/gallery.sh runs.
func pages(t *testing.T) []string {
	t.Helper()
	panels, err := filepath.Glob(filepath.Join(root, "docs", "panels", "*.md"))
	if err != nil || len(panels) < 10 {
		t.Fatalf("found pages %v, %v", panels, err)
	}
	return append([]string{filepath.Join(root, "docs", "gallery.md")}, panels...)
}

// commandsOf are the commands in the blocks of code of a page, without the
// program's name.
func commandsOf(t *testing.T, page string) [][]string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var all [][]string
	for i, block := range strings.Split(string(text), "\n```") {
		if i%2 == 0 {
			continue
		}
		for line := range strings.Lines(strings.ReplaceAll(block, "\\\n", "")) {
			if words := strings.Fields(line); len(words) > 0 && words[0] == "dagscope" {
				all = append(all, words[1:])
			}
		}
	}
	return all
}

// The commands of the gallery and of the pages of panels work, on bundled runs
// and on those that they simulate, and make the pictures that the pages show.
func TestGallery(t *testing.T) {
	made := t.TempDir()
	drawn := 0
	for _, page := range pages(t) {
		for _, args := range commandsOf(t, page) {
			line := strings.Join(args, " ")
			for i, a := range args {
				if strings.HasPrefix(a, "build/") || strings.HasPrefix(a, "docs/img/") {
					args[i] = filepath.Join(made, filepath.Base(a))
				}
			}
			if code, _, errs := finish(t, inRoot(args)); code != 0 {
				t.Errorf("%s: %s: exit code %d, %s", page, line, code, errs)
			}
			if args[0] == "plot" {
				drawn++
			}
		}
	}
	if drawn < 55 {
		t.Errorf("only %d figures were drawn", drawn)
	}
}

func inRoot(args []string) *exec.Cmd {
	cmd := exec.Command("dagscope", args...)
	cmd.Dir = root
	return cmd
}

// Every picture that a page shows is there, small enough for a repository, and
// made by one of the page's commands; every figure of Garcia Pinto 2018, chapters 5 and 6, has one.
func TestGalleryPictures(t *testing.T) {
	shown := regexp.MustCompile(`\]\((?:\.\./)?img/([^)]+)\)`)
	seen := map[string]bool{}
	total := int64(0)
	for _, page := range pages(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range shown.FindAllStringSubmatch(string(text), -1) {
			info, err := os.Stat(filepath.Join(root, "docs", "img", m[1]))
			if err != nil {
				t.Error(err)
				continue
			}
			seen[m[1]] = true
			total += info.Size()
			if info.Size() > 300_000 {
				t.Errorf("%s has %d bytes, more than 300 kB", m[1], info.Size())
			}
			if !strings.Contains(string(text), "-o docs/img/"+m[1]) {
				t.Errorf("%s shows %s, but does not say how it is made", page, m[1])
			}
		}
	}
	if total > 5_400_000 {
		t.Errorf("pictures have %d bytes, more than 5.4 MB", total)
	}
	for _, of := range [][3]int{{5, 2, 18}, {6, 3, 6}} {
		for i := of[1]; i <= of[2]; i++ {
			name := fmt.Sprintf("fig-%d.%d", of[0], i)
			if !seen[name+".png"] && !seen[name+"a.png"] {
				t.Errorf("found no picture %s", name)
			}
		}
	}
}
