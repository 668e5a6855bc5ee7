package starpu

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// naiveReadyQueue is the naive equivalent of readyQueue: actors in the order in
// which they became ready.
type naiveReadyQueue []*actor

func (r naiveReadyQueue) first() *actor {
	return slices.MinFunc(r, func(a, b *actor) int { return int(a.simcallCount - b.simcallCount) })
}

func TestReadyQueueOrder(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	var fast readyQueue
	var slow naiveReadyQueue
	var out []*actor
	for i := range 12 {
		out = append(out, &actor{number: i})
	}
	for range 20_000 {
		switch draw.IntN(8) {
		case 0:
			if n := len(out); n > 0 {
				a := out[n-1]
				a.simcallCount, out = 0, out[:n-1]
				fast.pushBack(a)
				slow = append(slow, a)
			}
		case 1, 2:
			if n := len(out); n > 0 && len(slow) > 0 {
				a, b := out[n-1], slow.first()
				a.simcallCount, out = b.simcallCount+1, out[:n-1]
				fast.insertBefore(a, b)
				slow = slices.Insert(slow, slices.Index(slow, b), a)
			}
		case 3:
			if len(slow) > 0 {
				a := slow[draw.IntN(len(slow))]
				fast.remove(a)
				slow, out = slices.Delete(slow, slices.Index(slow, a), slices.Index(slow, a)+1), append(out, a)
			}
		default:
			if len(slow) > 0 {
				a := slow.first()
				leads := fast.simcall(a)
				if leads != (slow.first() == a) {
					t.Fatalf("actor %d leads: %v, want %v", a.number, leads, !leads)
				}
			}
		}
		requireTurn(t, &fast, slow)
	}
}

func requireTurn(t *testing.T, fast *readyQueue, slow naiveReadyQueue) {
	t.Helper()
	if fast.count != len(slow) {
		t.Fatalf("%d actors are ready, want %d", fast.count, len(slow))
	}
	if len(slow) > 0 && fast.first != slow.first() {
		t.Fatalf("it is actor %d's turn, want %d", fast.first.number, slow.first().number)
	}
}
