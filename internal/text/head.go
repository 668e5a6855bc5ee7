package text

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// byteOrderMark is what editors on Windows put at the beginning of UTF-8 text.
var byteOrderMark = []byte("\ufeff")

// Head returns the first n bytes of a file, decompressed and without a byte
// order mark; fewer if the file is shorter or its compressed form is damaged.
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
	return bytes.TrimPrefix(head[:got], byteOrderMark), nil
}
