package campaign

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"dagscope/internal/wholefile"
)

// The directory of a campaign:
//
//	campaign.json   the plan: spec, points, who simulates
//	results.csv     the table; while runs go on, in the order in which they end
//	summary.csv     over replicates, where points differ by their seed
//	runs/           run directories, if they are kept
//	slurm/          scripts, shares and output of submitted jobs
//	parts/          tables of jobs until they are merged
const (
	planFile    = "campaign.json"
	resultsFile = "results.csv"
	summaryFile = "summary.csv"
	runsDir     = "runs"
	slurmDir    = "slurm"
	partsDir    = "parts"
	lockFile    = ".lock"
)

// Campaign is a directory and what is known of it.
type Campaign struct {
	Dir  string
	Plan *Plan
	// Table holds a row for each point that is done, in the order of the points.
	Table *Table

	fresh bool  // what an earlier campaign made is removed when the plan is saved
	whole int64 // bytes of the table's file that are whole lines
	lock  *os.File
}

// Open opens the campaign in a directory to look at it.
func Open(dir string) (*Campaign, error) {
	p, err := parsePlan(filepath.Join(dir, planFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("open campaign: found no %s in %s", planFile, dir)
	}
	if err != nil {
		return nil, err
	}
	c := &Campaign{Dir: dir, Plan: p}
	return c, c.load()
}

// Exists tells whether a directory holds a campaign.
func Exists(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, planFile))
	return err == nil
}

// Start begins a campaign in a directory, or goes on with the one that is
// there: with its points and those of the plan. It refuses one whose results
// are of another spec, other parameters or another program; with fresh all that
// is there is forgotten. Close ends it.
func Start(dir string, p *Plan, fresh bool) (*Campaign, error) {
	if err := usable(dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("make campaign: %w", err)
	}
	c := &Campaign{Dir: dir, Plan: p}
	var err error
	if c.lock, err = lock(filepath.Join(dir, lockFile)); err != nil {
		return nil, fmt.Errorf("open campaign %s: %w", dir, err)
	}
	if err := c.start(fresh); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

func (c *Campaign) start(fresh bool) error {
	old, err := parsePlan(c.path(planFile))
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case fresh:
		c.fresh, c.Table = true, &Table{Keys: c.Plan.Keys}
		return c.Save()
	case err != nil:
		return err
	default:
		if what := c.Plan.differs(old); what != "" {
			return fmt.Errorf("continue campaign %s: %s; take another directory, or --fresh to begin again", c.Dir, what)
		}
		c.Plan.join(old)
		c.Plan.Jobs = old.Jobs
	}
	if err := c.idle(); err != nil {
		return err
	}
	if err := c.load(); err != nil {
		return err
	}
	return c.Save()
}

// usable refuses a directory with other things in it.
func usable(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || Exists(dir) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("make campaign: %w", err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			return fmt.Errorf("make campaign: found %s in %s, want an empty directory or that of a campaign", e.Name(), dir)
		}
	}
	return nil
}

// Close lets others work on the campaign.
func (c *Campaign) Close() error {
	if c.lock == nil {
		return nil
	}
	err := c.lock.Close()
	c.lock = nil
	return err
}

func (c *Campaign) path(names ...string) string {
	return filepath.Join(append([]string{c.Dir}, names...)...)
}

// forget removes what an earlier campaign made, but for the plan: by that a
// directory is known to be a campaign's, until the new one takes its place.
func (c *Campaign) forget() error {
	if !c.fresh {
		return nil
	}
	for _, name := range []string{resultsFile, summaryFile, runsDir, slurmDir, partsDir} {
		if err := os.RemoveAll(c.path(name)); err != nil {
			return fmt.Errorf("begin campaign again: %w", err)
		}
	}
	c.fresh = false
	return nil
}

// load reads the table, and those of jobs that were not merged.
func (c *Campaign) load() error {
	t, whole, err := readTable(c.path(resultsFile), c.Plan.Keys)
	if err != nil {
		return err
	}
	c.Table, c.whole = &Table{Keys: c.Plan.Keys}, whole
	c.Table.add(t.Rows)
	parts, err := c.parts()
	if err != nil {
		return err
	}
	for _, file := range parts {
		t, _, err := readTable(file, c.Plan.Keys)
		if err != nil {
			return err
		}
		c.Table.add(t.Rows)
	}
	c.Table.sort(c.Plan)
	return nil
}

// parts are the tables of jobs.
func (c *Campaign) parts() ([]string, error) {
	return filepath.Glob(filepath.Join(escape(c.Dir), partsDir, "*.csv"))
}

// escape makes a path one that a pattern matches.
func escape(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// Save writes the plan and the table as they are.
func (c *Campaign) Save() error {
	text, err := json.MarshalIndent(c.Plan, "", " ")
	if err != nil {
		return fmt.Errorf("write campaign: %w", err)
	}
	err = replace(c.path(planFile), func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return cmp.Or(err, c.forget()) // once there is room for the new plan
	})
	if err != nil {
		return err
	}
	if err := c.saveTable(); err != nil {
		return err
	}
	parts, err := c.parts()
	if err != nil {
		return err
	}
	for _, file := range parts {
		if err := os.Remove(file); err != nil {
			return fmt.Errorf("merge campaign: %w", err)
		}
	}
	return nil
}

// saveTable writes the table, and the summary if there are replicates.
func (c *Campaign) saveTable() error {
	c.Table.sort(c.Plan)
	file := c.path(resultsFile)
	if err := replace(file, c.Table.Write); err != nil {
		return err
	}
	info, err := os.Stat(file)
	if err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	c.whole = info.Size()
	if s := c.Table.Summary(); s != nil {
		return replace(c.path(summaryFile), s.Write)
	}
	return nil
}

// replace writes a file beside its name and renames it.
func replace(path string, write func(io.Writer) error) error {
	if err := wholefile.Write(path, write); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// Pending are the points that have no row yet; with retry also those whose run
// failed.
func (c *Campaign) Pending(retry bool) (rows [][]string) {
	done := make(map[string]bool)
	for i := range c.Table.Rows {
		if r := &c.Table.Rows[i]; !retry || !r.Failed() {
			done[identity(r.Values)] = true
		}
	}
	for _, values := range c.Plan.Points {
		if !done[identity(values)] {
			rows = append(rows, values)
		}
	}
	return rows
}
