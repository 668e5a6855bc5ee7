package show

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"

	"dagscope/read/fxt"
	"dagscope/read/fxt/layout"
)

// Counts are how many events of each code traces have.
type Counts struct {
	Codes map[uint32]int64
	seen  layout.Seen // of the first events of each trace
}

// Add counts the events of a trace. Of a damaged one all whole events are
// counted, then a *fxt.Truncated is returned.
func (c *Counts) Add(f *fxt.File) error {
	if c.Codes == nil {
		c.Codes = map[uint32]int64{}
	}
	looked := 0
	return f.Each(func(e *fxt.Event) error {
		c.Codes[e.Code]++
		if looked < held {
			looked++
			c.seen.Add(e.Code, e.Args)
		}
		return nil
	})
}

// Write shows counts per code as starpu_fxt_tool does in number_events.data,
// "0x5105<TAB>30", and the name after them. o.Codes says which, o.Version whose
// names.
func (c *Counts) Write(w io.Writer, o Options) (Result, error) {
	d := printer{o: o}
	v, why, err := o.version(c.seen.Guess)
	if err != nil {
		return Result{}, err
	}
	if err := d.decide(v, why); err != nil {
		return Result{}, err
	}
	var b bytes.Buffer
	for _, code := range slices.Sorted(maps.Keys(c.Codes)) {
		if !d.wanted(code) {
			continue
		}
		d.result.Shown += c.Codes[code]
		name := "unknown"
		if e := v.Lookup(code); e != nil {
			name = e.Name
		}
		fmt.Fprintf(&b, "0x%x\t%d\t%s\n", code, c.Codes[code], name)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return d.result, fmt.Errorf("write counts: %w", err)
	}
	return d.result, nil
}
