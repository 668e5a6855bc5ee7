package fxt

import (
	"io"

	"dagscope/internal/text"
)

// New reads from any source of bytes; path only names it in messages.
func New(src io.Reader, path string) (*File, error) { return NewChunked(src, path, chunkBytes) }

// NewChunked is New with chunks of a given size, so that events lie across
// their ends.
func NewChunked(src io.Reader, path string, chunk int) (*File, error) {
	r, err := text.New(src, path)
	if err != nil {
		return nil, err
	}
	return newFile(r, chunk)
}

// InVain is how many bytes were looked through for a better place to go on where
// there was none.
func (f *File) InVain() int64 { return f.inVain }
