package store

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"sync"
)

const fileBuffer = 1 << 16

type fileSum struct {
	bytes  int64
	sha256 string
}

// writeFile creates a file, lets fill write it and tells its size and checksum.
// It is on disk once syncs.wait has returned.
func writeFile(path string, syncs *syncing, fill func(io.Writer) error) (fileSum, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return fileSum{}, err
	}
	defer syncs.add(f)
	hash := sha256.New()
	w := bufio.NewWriterSize(io.MultiWriter(f, hash), fileBuffer)
	if err := fill(w); err != nil {
		return fileSum{}, err
	}
	if err := w.Flush(); err != nil {
		return fileSum{}, err
	}
	at, err := f.Seek(0, io.SeekCurrent)
	return fileSum{at, hex.EncodeToString(hash.Sum(nil))}, err
}

// syncing syncs and closes files in the background. The zero value is ready.
type syncing struct {
	wg   sync.WaitGroup
	mu   sync.Mutex
	errs []error
}

func (s *syncing) add(f *os.File) {
	s.wg.Go(func() {
		err := errors.Join(f.Sync(), f.Close())
		s.mu.Lock()
		defer s.mu.Unlock()
		s.errs = append(s.errs, err)
	})
}

// wait returns what went wrong with any file, once all of them are done.
func (s *syncing) wait() error {
	s.wg.Wait()
	return errors.Join(s.errs...)
}
