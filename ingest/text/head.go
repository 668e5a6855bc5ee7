package text

import (
	"errors"
	"fmt"
	"io"
)

// Head returns the first n bytes of a file, decompressed; fewer if the file is
// shorter or its compressed form is damaged.
func Head(path string, n int) ([]byte, error) {
	r, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	head := make([]byte, n)
	got, err := io.ReadFull(r.text, head)
	if err != nil && got == 0 && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return head[:got], nil
}
