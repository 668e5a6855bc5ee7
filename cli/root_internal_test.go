package cli

import (
	"runtime/debug"
	"testing"
)

// A version says what it was built from, and that it is not known where it is not.
func TestStamped(t *testing.T) {
	settings := []debug.BuildSetting{{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: "8329ff6c0ffee0123456789"},
		{Key: "vcs.time", Value: "2026-11-22T10:11:12Z"}, {Key: "vcs.modified", Value: "false"}}
	if commit, date := stamped(settings); commit != "8329ff6c0ffe" || date != "2026-11-22" {
		t.Errorf("found %s of %s", commit, date)
	}
	settings[3].Value = "true"
	if commit, _ := stamped(settings); commit != "8329ff6c0ffe-dirty" {
		t.Errorf("found %s of changed sources", commit)
	}
	if commit, date := stamped(nil); commit != "" || date != "" {
		t.Errorf("found %q of %q, want nothing", commit, date)
	}
}
