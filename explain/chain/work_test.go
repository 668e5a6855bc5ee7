package chain

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"dagscope/trace/tracetest"
)

// Where work differs from task to task a task is compared with what its work
// lets one expect, not with tasks of other sizes.
func TestDurationsFollowWork(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for name, declared := range map[string]bool{"work is declared": true, "work is not known": false} {
		t.Run(name, func(t *testing.T) {
			var tasks strings.Builder
			at := int64(0)
			slow := 30
			for i := range 60 {
				gflop := math.Exp(3 * rng.Float64())
				took := int64(1000 * math.Pow(gflop, 1.2))
				if i == slow {
					took *= 3
				}
				work := "0"
				if declared {
					work = fmt.Sprint(gflop)
				}
				fmt.Fprintf(&tasks, "%d A 4 %d %d 0 0 %s %d\n", i, at, at+took, work, 1000+i)
				at += took
			}
			run, err := tracetest.Parse([]byte(machine + "\ntable task\nkey kind worker start end submit ready gflop footprint\n" + tasks.String()))
			if err != nil {
				t.Fatal(err)
			}
			x := New(run, Options{})
			want := KindMean
			if declared {
				want = Regression
			}
			if got := x.Bases()["A"]; got != want {
				t.Fatalf("expected durations are of %q, want %q", got, want)
			}
			var sum int64
			for _, p := range x.Critical().Parts {
				a := x.Amounts(p)
				sum += a.SlowerExecution
				took := p.To - p.From
				switch off := math.Abs(float64(a.SlowerExecution)) / float64(took); {
				case !declared:
				case x.TaskOf(p) == int32(slow) && off < 0.5:
					t.Errorf("the slow task: %d of %d ns are slower execution", a.SlowerExecution, took)
				case x.TaskOf(p) != int32(slow) && off > 0.25:
					t.Errorf("task %d: %d of %d ns are slower execution", x.TaskOf(p), a.SlowerExecution, took)
				}
			}
			if math.Abs(float64(sum)) > 60 {
				t.Errorf("slower execution of all tasks of the group adds up to %d ns, want 0", sum)
			}
		})
	}
}
