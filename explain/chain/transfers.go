package chain

import "dagscope/trace"

// TransferWaits divides the time between the end of the task that wrote data last
// and the start of each transfer of it between memories, also of those that no
// task waited for: how well the causes of transfers are known.
type TransferWaits struct {
	Transfers int  // those of data that a task of the run wrote
	Time      Sums // the time of all of them together: transfers overlap
}

// Explained is the share of the time that is not [Unexplained]; 1 where nothing
// waited.
func (w *TransferWaits) Explained() float64 {
	whole := w.Time.Sum()
	if whole == 0 {
		return 1
	}
	return 1 - float64(w.Time.Of(Unexplained))/float64(whole)
}

// TransferWaits walks back from the start of each transfer to the end of the
// last writer of what it moves.
func (x *Index) TransferWaits() (w TransferWaits) {
	t := &x.run.Transfer
	for i := range t.Start {
		row := int32(i)
		if x.linkOf[i] < 0 || t.Handle[i] < 0 || t.Kind.At(i) == trace.TransferMPI {
			continue
		}
		if k := x.writers.latest(t.Handle[i], t.Start[i]); k >= 0 {
			w.Transfers++
			x.walk(position{kind: transferStart, row: row, at: t.Start[i]}, x.writers.time[k], func(p Part) {
				w.Time[p.Cause()] += p.To - p.From
			})
		}
	}
	return w
}
