package fxt

import (
	"io"

	"dagscope/ingest/text"
)

// NewChunked is New with chunks of a given size, so that events lie across
// their ends.
func NewChunked(src io.Reader, path string, chunk int) (*File, error) {
	r, err := text.New(src, path)
	if err != nil {
		return nil, err
	}
	return newFile(r, chunk)
}
