package cli

import (
	"path/filepath"

	"dagscope/read"
)

// apart refuses raw traces of several ranks of one run where each path is taken
// for a run: what ranks exchange would be in none of them.
func apart(paths []string) error {
	ranks := map[string]string{} // directory and name of a run to the path of one rank
	for _, path := range paths {
		run, _, ok := read.RawRun(path)
		if !ok {
			continue
		}
		run = filepath.Join(filepath.Dir(path), run)
		if other := ranks[run]; other != "" && filepath.Base(other) != filepath.Base(path) {
			return usagef("found %s and %s, raw traces of two ranks of a run, want %s", other, path, ranksTogether)
		}
		ranks[run] = path
	}
	return nil
}

const ranksTogether = `all of its ranks as one: their directory, or what "dagscope import" makes of them`

// ofRanks is what to do with arguments that are too many because they are the
// raw traces of ranks, "" if they are not.
func ofRanks(args []string) string {
	if err := apart(args); err != nil {
		return " (of a run's raw traces " + ranksTogether + ")"
	}
	return ""
}
