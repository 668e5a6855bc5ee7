package campaign

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"sync"
)

// journal appends rows to a table's file as runs end. A row is one write, so
// that a kill leaves whole lines but for the last.
type journal struct {
	mu     sync.Mutex
	file   *os.File
	failed error // of a write: what follows half a line would be part of it
}

// openJournal goes on after the first whole bytes of a file; 0 begins it.
func openJournal(path string, keys []string, whole int64) (*journal, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, fmt.Errorf("open table: %w", err)
	}
	j := &journal{file: f}
	if err = f.Truncate(whole); err == nil {
		_, err = f.Seek(whole, 0)
	}
	if err == nil && whole == 0 {
		err = j.write(header(keys))
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("open table: %w", err)
	}
	return j, nil
}

func (j *journal) write(cells []string) error {
	var line bytes.Buffer
	c := csv.NewWriter(&line)
	if err := c.Write(cells); err != nil {
		return err
	}
	c.Flush()
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.failed == nil {
		_, j.failed = j.file.Write(line.Bytes())
	}
	return j.failed
}

// append adds a row.
func (j *journal) append(r *Row) error {
	if err := j.write(r.line()); err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	return nil
}

func (j *journal) close() error {
	if err := j.file.Close(); err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	return nil
}
