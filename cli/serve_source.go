package cli

import (
	"fmt"
	"io/fs"
	"log"
	"strings"

	"dagscope/internal/words"
	"dagscope/show/serve"
	"dagscope/trace/store"
)

// served is a run of the live view.
type served struct {
	run
	path string
	name string
}

// openSources opens the runs that are to be served. Two of the same name are
// told apart by their number.
func openSources(paths []string) ([]*served, error) {
	if err := apart(paths); err != nil {
		return nil, err
	}
	var out []*served
	met := map[string]int{}
	for _, path := range paths {
		r, err := openRun(path)
		if err != nil {
			return nil, err
		}
		name := runName(path)
		if met[name]++; met[name] > 1 {
			name += " (" + words.Count(met[name]) + ")"
		}
		out = append(out, &served{r, path, name})
	}
	return out, nil
}

func serveSources(of []*served) []serve.Source {
	var out []serve.Source
	for _, s := range of {
		out = append(out, s)
	}
	return out
}

// Name is what the run is called.
func (s *served) Name() string { return s.name }

// Path is what the command line calls the run by.
func (s *served) Path() string { return s.path }

// Attachment is what the run directory keeps beside its tables.
func (s *served) Attachment(name string) ([]byte, error) {
	if d, ok := s.run.(*store.Dir); ok {
		return d.Attachment(name)
	}
	return nil, fmt.Errorf("a trace that was read has no attachments: %w", fs.ErrNotExist)
}

// Has tells whether the run has a column.
func (s *served) Has(column string) bool {
	table, name, _ := strings.Cut(column, ".")
	if d, ok := s.run.(*store.Dir); ok {
		t, ok := d.Manifest().Table(table)
		return ok && t.Has(name)
	}
	loaded, err := s.Load()
	if err != nil {
		return false
	}
	c, ok := loaded.Column(table, name)
	return ok && c.Len() > 0
}

func newErrorLog(errs *lines) *log.Logger { return log.New(errs, "", 0) }
