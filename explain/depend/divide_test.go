package depend

import (
	"testing"

	"pgregory.net/rapid"
)

func TestPartsOfGapsAgainstInstants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := drawRun(t)
		last := Find(run)
		d, o := NewDelays(run, last, nil, nil).Fork(), instants{run, last}
		lanes := d.lanes
		for w := int32(6); w <= 8; w++ {
			for i, end := lanes.Of(w); i < end; i++ {
				v, sums, at := lanes.Task[i], Gap{}, int64(0)
				at, _ = d.gap(i)
				d.Divide(i, w, func(to int64, c Cause) {
					for ; at < to; at++ {
						if c != o.cause(d, i, w, at) {
							t.Fatalf("instant %d before %d on %d: cause %d, want %d", at, v, w, c, o.cause(d, i, w, at))
						}
						*[]*int64{&sums.Dependency, &sums.Transfer, &sums.Runtime, &sums.Unexplained}[c]++
					}
				})
				if want := d.Before(i, w); sums != want {
					t.Fatalf("parts before %d on %d sum to %+v, want %+v", v, w, sums, want)
				}
			}
		}
	})
}

// cause is that of an instant in the gap before a piece.
func (o instants) cause(d *Delays, piece, w int32, at int64) Cause {
	v, lanes := d.lanes.Task[piece], d.lanes
	switch {
	case (lanes.IsFirst(piece) || lanes.Start[piece] == o.run.Task.Start[v]) && o.last.Of[v] >= 0 && at < o.last.End(o.last.Of[v]):
		return CauseDependency
	case o.arriving(v, at):
		return CauseTransfer
	case o.inRuntime(w, at):
		return CauseRuntime
	}
	return CauseUnexplained
}
