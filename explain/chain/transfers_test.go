package chain

import (
	"slices"
	"testing"

	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// A fetch from a disk is one for the device that the data goes to next; without a
// task that uses the data there, nobody knows what it waited for.
func TestTransferWaits(t *testing.T) {
	run := parse(t, disk)
	w := New(run, Options{}).TransferWaits()
	// y waits from 10 to 42: B runs until 40; z also while y is on its way.
	if w.Transfers != 2 || w.Time.Sum() != 32+52 || w.Time.Of(Transfer) != 20 || w.Explained() != 1 {
		t.Errorf("%d transfers waited %v, %g explained", w.Transfers, w.Time.Names(), w.Explained())
	}
	run = tracetest.Cholesky(tracetest.Options{Tiles: 6, GPUs: 2, Seed: 1})
	x := New(run, Options{})
	w = x.TransferWaits()
	want := int64(0)
	n := naive{x, run}
	for i := range run.Transfer.Start {
		ends := []int64{trace.NoTime}
		for v, end := range run.Task.End {
			if n.data(i) && end <= run.Transfer.Start[i] && n.uses(int32(v), run.Transfer.Handle[i], "W") {
				ends = append(ends, end)
			}
		}
		if last := slices.Max(ends); last != trace.NoTime {
			want += run.Transfer.Start[i] - last
		}
	}
	if w.Time.Sum() != want || want == 0 {
		t.Errorf("transfers waited %d ns, want %d", w.Time.Sum(), want)
	}
}
