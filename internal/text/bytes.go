package text

import "io"

// Read reads the decompressed bytes themselves, for files that are not text.
// It must not be mixed with Blocks. The error of a damaged compressed file is
// the decompressor's; everything that could be decompressed comes before it.
func (r *Reader) Read(p []byte) (int, error) { return r.text.Read(p) }

// Drain reads what is left of the stored file, so that [Reader.Source] covers
// every byte of it.
func (r *Reader) Drain() error {
	_, err := io.Copy(io.Discard, r.stored)
	return err
}

// Stored is how many stored bytes have been read so far.
func (r *Reader) Stored() int64 { return r.stored.count.Load() }
