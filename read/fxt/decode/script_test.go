package decode_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"dagscope/read/assemble"
	"dagscope/read/fxt/decode"
	"dagscope/read/fxt/internal/fxttest"
	"dagscope/read/fxt/layout"
	"dagscope/trace"
)

// script is the trace of one process, written event by event by their names.
type script struct {
	t      testing.TB
	v      *layout.Version
	now    uint64 // of the next event; each takes 1 ns
	events []fxttest.Event
}

// origin is the clock of the first event of a script.
const origin = 1_000_000

func newScript(t testing.TB, version string) *script {
	t.Helper()
	v, err := layout.Named(version)
	if err != nil {
		t.Fatal(err)
	}
	return &script{t: t, v: v, now: origin}
}

// at sets the time of the next event, ns since the first.
func (s *script) at(time int64) *script {
	s.now = uint64(origin + time)
	return s
}

// add writes an event with these words; a text follows them.
func (s *script) add(name string, words ...any) {
	s.t.Helper()
	e := decode.EventNamed(s.v, name)
	if e == nil {
		s.t.Fatalf("StarPU %s has no event %s", s.v.Name, name)
	}
	ev := fxttest.Event{Time: s.now, Code: e.Code}
	for _, w := range words {
		switch w := w.(type) {
		case int:
			ev.Args = append(ev.Args, uint64(w))
		case int64:
			ev.Args = append(ev.Args, uint64(w))
		case uint64:
			ev.Args = append(ev.Args, w)
		case string:
			ev.Text = []byte(w)
		}
	}
	s.events = append(s.events, ev)
	s.now++
}

// machine announces memory nodes, and a worker with a thread on each: worker
// and thread have the number of the node, threads from 100 on.
func (s *script) machine(nodes int) {
	for n := range nodes {
		s.add("NEW_MEM_NODE", n, 1)
	}
	for n := range nodes {
		s.add("WORKER_INIT_START", 0x100, n, n, n, n, 0, 100+n)
		s.add("WORKER_INIT_END", 100+n, n)
	}
}

// read decodes the scripts of the ranks of a run.
func decodeScripts(t *testing.T, scripts ...*script) *assemble.Parts {
	t.Helper()
	return readForm(t, fxttest.Form{}, scripts...)
}

// readForm does so with the files that another machine writes.
func readForm(t *testing.T, form fxttest.Form, scripts ...*script) *assemble.Parts {
	t.Helper()
	p, err := decode.Read(filesOf(t, form, scripts...), decode.Options{Version: scripts[0].v.Name})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// filesOf writes the files of a run's ranks.
func filesOf(t testing.TB, form fxttest.Form, scripts ...*script) (paths []string) {
	t.Helper()
	dir := t.TempDir()
	for rank, s := range scripts {
		path := filepath.Join(dir, "prof_file_me_"+decimal(int64(rank)))
		if err := os.WriteFile(path, fxttest.File(s.events, form), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

// curve is a variable of a container, by the container's alias.
type curve struct {
	time  []int64
	value []float64
}

// curves are the samples of a metric by the containers' aliases.
func curves(t *testing.T, p *assemble.Parts, metric string) map[string]*curve {
	t.Helper()
	all := map[string]*curve{}
	for i, at := range p.Sample.Time {
		if p.Sample.Metric.At(i) != metric {
			continue
		}
		alias := p.Container.Alias.At(int(p.Sample.Container[i]))
		if all[alias] == nil {
			all[alias] = &curve{}
		}
		c := all[alias]
		if n := len(c.time); n > 0 && c.time[n-1] > at {
			t.Fatalf("%s of %s: found a sample at %d ns after one at %d ns", metric, alias, at, c.time[n-1])
		}
		c.time, c.value = append(c.time, at), append(c.value, p.Sample.Value[i])
	}
	return all
}

// value is a curve's value at a time.
func (c *curve) at(time int64) float64 {
	v := 0.0
	if c == nil {
		return v
	}
	for i, t := range c.time {
		if t <= time {
			v = c.value[i]
		}
	}
	return v
}

// events writes the events of a type, one per line: container, time, value,
// handle, info, bytes, peer.
func instants(p *assemble.Parts, typ string) string {
	var s strings.Builder
	e := &p.Event
	for i := range e.Time {
		if e.Type.At(i) != typ {
			continue
		}
		peer := "-"
		if e.Peer[i] != trace.None {
			peer = p.Container.Alias.At(int(e.Peer[i]))
		}
		fields := []string{p.Container.Alias.At(int(e.Container[i])), decimal(e.Time[i]), e.Value.At(i), e.Handle.At(i), e.Info.At(i), decimal(e.Bytes[i]), peer}
		s.WriteString(strings.Join(fields, " ") + "\n")
	}
	return s.String()
}

// spansOf writes the states of a container that last, one per line: kind,
// start, end, depth.
func spansOf(p *assemble.Parts, alias string) string {
	var s strings.Builder
	for i, c := range p.State.Container {
		if p.Container.Alias.At(int(c)) == alias {
			s.WriteString(strings.Join([]string{p.State.Kind.At(i), decimal(p.State.Start[i]), decimal(p.State.End[i]), decimal(int64(p.State.Depth[i]))}, " ") + "\n")
		}
	}
	return s.String()
}

func decimal(v int64) string { return strconv.FormatInt(v, 10) }
