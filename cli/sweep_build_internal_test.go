package cli

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
)

// Builds without a revision, or of changed sources, are told apart by what they
// are, not by when they were copied.
func TestBuildsOfCampaignsAreToldApart(t *testing.T) {
	for want, settings := range map[bool][]debug.BuildSetting{
		true:  {{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: "false"}},
		false: {{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: "true"}},
	} {
		if got := ofRevision(settings); got != want {
			t.Errorf("%v: found %v, want %v", settings, got, want)
		}
	}
	if ofRevision(nil) {
		t.Error("a build without settings counts as one of a revision")
	}
	dir := t.TempDir()
	sum := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := checksum(file)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	one := sum("a", "one build")
	if copied := sum("b", "one build"); copied != one {
		t.Errorf("a copy has %s, want %s", copied, one)
	}
	if sum("c", "two build") == one {
		t.Error("two builds have one checksum")
	}
	line, err := simulatedBy()
	if err != nil || !strings.Contains(line, ", program ") {
		t.Errorf("tests are built without revision: found %q, %v", line, err)
	}
}
