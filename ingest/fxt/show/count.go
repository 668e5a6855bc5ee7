package show

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"dagscope/ingest/fxt"
	"dagscope/ingest/fxt/layout"
)

// Counts are the events of traces by their shapes.
type Counts map[layout.Shape]int64

// Add counts the events of a trace. Of a damaged one all whole events are
// counted, then a *fxt.Truncated is returned.
func (c Counts) Add(f *fxt.File) error {
	counts := [256]map[uint32]int64{}
	err := f.Each(func(e *fxt.Event) error {
		of := counts[len(e.Args)]
		if of == nil {
			of = map[uint32]int64{}
			counts[len(e.Args)] = of
		}
		of[e.Code]++
		return nil
	})
	for n, of := range counts {
		for code, k := range of {
			c[layout.Shape{Code: code, N: n}] += k
		}
	}
	return err
}

// Write shows counts per code as starpu_fxt_tool does in number_events.data,
// "0x5105<TAB>30", and the name after them. o.Codes says which.
func (c Counts) Write(w io.Writer, o Options) (Result, error) {
	d := printer{Options: o}
	v, why := layout.Guess(c)
	if o.Version != "" {
		var err error
		if v, err = layout.Named(o.Version); err != nil {
			return Result{}, err
		}
		why = "it was asked for"
	}
	if err := d.decide(v, why); err != nil {
		return Result{}, err
	}
	var b bytes.Buffer
	codes := c.byCode()
	for _, code := range slices.Sorted(maps.Keys(codes)) {
		if !d.wanted(code) {
			continue
		}
		d.Shown += codes[code]
		name := "unknown"
		if e := v.Lookup(code); e != nil {
			name = e.Name
		}
		fmt.Fprintf(&b, "0x%x\t%d\t%s\n", code, codes[code], name)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return d.Result, errors.Join(errors.New("write counts"), err)
	}
	return d.Result, nil
}

func (c Counts) byCode() map[uint32]int64 {
	codes := map[uint32]int64{}
	for shape, n := range c {
		codes[shape.Code] += n
	}
	return codes
}
