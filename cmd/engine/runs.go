//go:build js && wasm

package main

import (
	"fmt"
	"io"
	"io/fs"
	"syscall/js"
	"time"

	"dagscope/show/serve"
	"dagscope/trace/store"
)

// run is a run directory in the page's memory.
type run struct {
	*store.Dir
	name string
}

func (r run) Name() string { return r.name }

func openRuns(list js.Value) ([]serve.Source, error) {
	var sources []serve.Source
	for i := range list.Length() {
		name, files := list.Index(i).Get("name").String(), list.Index(i).Get("files")
		dir, err := store.OpenFiles(name, func(file string) (store.File, error) { return openFile(files, file) })
		if err != nil {
			return nil, err
		}
		sources = append(sources, run{dir.Checked(), name})
	}
	return sources, nil
}

// file reads bytes that stay on the page's side until they are wanted.
type file struct {
	*io.SectionReader
	name string
}

func openFile(files js.Value, name string) (store.File, error) {
	data := files.Get(name)
	if !data.Truthy() {
		return nil, fmt.Errorf("open %s: not in this archive: %w", name, fs.ErrNotExist)
	}
	size := int64(data.Get("length").Int())
	return &file{io.NewSectionReader(bytesOf{data, size}, 0, size), name}, nil
}

func (f *file) Close() error { return nil }

func (f *file) Stat() (fs.FileInfo, error) { return info{f}, nil }

// bytesOf is a Uint8Array.
type bytesOf struct {
	data js.Value
	size int64
}

func (b bytesOf) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 || off > b.size {
		return 0, fmt.Errorf("read at %d of %d bytes: %w", off, b.size, fs.ErrInvalid)
	}
	n := js.CopyBytesToGo(p, b.data.Call("subarray", off, min(off+int64(len(p)), b.size)))
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

type info struct{ *file }

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.SectionReader.Size() }
func (i info) Mode() fs.FileMode  { return 0o444 }
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) IsDir() bool        { return false }
func (i info) Sys() any           { return nil }
