package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
)

// simulatedBy names the build whose results a campaign's table may hold: the
// version line and, where no unchanged revision tells one build from the next,
// the start of the program's checksum. Not its date: a copy simulates alike.
func simulatedBy() (string, error) {
	info, ok := debug.ReadBuildInfo()
	if ok && ofRevision(info.Settings) {
		return versionLine(), nil
	}
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("tell this build from others: %w", err)
	}
	sum, err := checksum(path)
	if err != nil {
		return "", fmt.Errorf("tell this build from others: %w", err)
	}
	return strings.TrimSuffix(versionLine(), ")") + ", program " + sum[:16] + ")", nil
}

// ofRevision tells whether a build is of a revision as it was committed.
func ofRevision(settings []debug.BuildSetting) bool {
	revision, modified := false, false
	for _, s := range settings {
		revision = revision || s.Key == "vcs.revision" && s.Value != ""
		modified = modified || s.Key == "vcs.modified" && s.Value == "true"
	}
	return revision && !modified
}

// checksum is the SHA-256 of a file, in hexadecimal.
func checksum(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
