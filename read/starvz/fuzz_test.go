package starvz

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"dagscope/internal/budget"
	"dagscope/internal/testenv"
	"dagscope/internal/text"
	"dagscope/trace"
)

// FuzzStarVZCSV feeds each kind of file with anything: no panic, every line
// accounted for, columns equally long.
func FuzzStarVZCSV(f *testing.F) {
	stems := make([]string, 0, len(kinds))
	for s := range kinds {
		stems = append(stems, s)
	}
	slices.Sort(stems)
	for i, s := range []string{"Dependent,JobId\n0_1,tag_4\ntag_4,9->tag_4[style=dashed]\n", entities,
		fullHeader + "\nState, 0_CPU0, Worker State, 1.5, 3.5, 2.0, 0, my, task, 64, M, ff82, 40, 0_1, 0_8, 13, 0.8, 1, 2, 3, -1, x\n",
		"Value, Start\nx\n", "Nature, Container, Type, Start, Value, Handle, Info, Size, Tid, Src\nEvent, a, b, 7, 0, 559f, 73, 12, 0_mm1\n",
		"Nature, Container, Type, Start, End, Duration, Size, Origin, Dest, Key, Tag\nLink, a, MPI, 3, 4, 1, 64, b, c, mpicom_1, 4, P, 3, 5\n",
		"Control,JobId,Name,MPIRank,DependsOn,Handles,Modes,Sizes\nWontUse,7,\"a\"\"b\",0,1 2,a b,R RW,8 8\n"} {
		f.Add(i, []byte(s))
		f.Add(i+6, []byte(s))
	}
	f.Fuzz(func(t *testing.T, which int, data []byte) {
		budget.Watch(t)
		s := stems[uint(which)%uint(len(stems))]
		r, err := text.New(bytes.NewReader(data), s)
		if err != nil {
			return
		}
		in := newInput()
		if err := in.p.Truncated(s, kinds[s].read(in, r, s)); err != nil {
			if !errors.Is(err, text.ErrEncoding) {
				t.Errorf("unexpected error %v", err)
			}
			return
		}
		in.p.Sources = append(in.p.Sources, trace.Source(r.Source(kinds[s].role)))
		checkAccounts(t, in.p)
		st, ex, li, ev, sa, co := &in.p.State, &in.p.Extended, &in.p.Link, &in.p.Event, &in.p.Sample, &in.p.Container
		for _, group := range [][]int{
			{len(st.Start), len(st.End), len(st.Container), len(st.Depth), len(st.Extended), st.Kind.Len(), st.Type.Len()},
			{len(ex.Order), ex.Job.Len(), len(ex.GFlop), len(ex.X), len(ex.Iteration), len(ex.Tag), ex.Numa.Len(), ex.Parameters.Len()},
			{li.Key.Len(), len(li.From), len(li.To), len(li.Tag), len(li.Priority), li.Handle.Len(), li.Mode.Len(), len(li.End)},
			{len(ev.Time), ev.Value.Len(), ev.Handle.Len(), ev.Info.Len(), len(ev.Bytes), len(ev.Peer)},
			{len(sa.Time), len(sa.Value), sa.Metric.Len(), len(sa.Container)},
			{len(co.Parent), co.Name.Len(), co.Type.Len(), co.Alias.Len(), len(co.Start), len(co.End)},
			{in.p.Edge.From.Len(), in.p.Edge.To.Len()},
		} {
			for _, n := range group {
				if n != group[0] {
					t.Fatalf("columns are %v rows long", group)
				}
			}
		}
		for i, p := range co.Parent {
			if p >= int32(i) {
				t.Fatalf("container %d has parent %d", i, p)
			}
		}
	})
}

func BenchmarkRead(b *testing.B) {
	dir := testenv.Reference(b, "data/starvz/qr_trace/raw_padded")
	for b.Loop() {
		if _, err := Read(dir, nil); err != nil {
			b.Fatal(err)
		}
	}
}
