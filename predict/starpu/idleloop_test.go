package starpu_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"dagscope/predict/platform"
	"dagscope/predict/starpu"
	"dagscope/predict/starpu/policy"
)

// unprobed hides Probing and Stealing of a policy, so that workers look for tasks
// in their own coroutines.
type unprobed struct{ starpu.Policy }

func (u unprobed) Priorities() bool {
	p, ok := u.Policy.(starpu.Prioritizing)
	return ok && p.Priorities()
}

// TestIdleLoopMatchesCoroutines holds loops that the kernel runs against those of
// the workers' coroutines.
func TestIdleLoopMatchesCoroutines(t *testing.T) {
	draw := rand.New(rand.NewPCG(4, 7))
	machines := []*platform.Machine{platform.Plain(1), platform.Plain(2), platform.Plain(7), platform.Plain(33), mirage(t)}
	for _, scheduler := range []string{"eager", "prio", "ws", "lws"} {
		for round := range 12 {
			m := machines[round%len(machines)]
			g := program(draw, 20+draw.IntN(150), 3+draw.IntN(20))
			s := scene{g, m, lengths(draw, g, m)}
			t.Run(fmt.Sprint(scheduler, round), func(t *testing.T) {
				requireSameRun(t, s, scheduler)
			})
		}
	}
}

func requireSameRun(t *testing.T, s scene, scheduler string) {
	t.Helper()
	p, err := policy.New(scheduler, policy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	q, err := policy.New(scheduler, policy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := p.(starpu.Probing); !ok {
		t.Fatalf("%s is not Probing", scheduler)
	}
	fast, err := starpu.Run(s.g, s.m, s.d, p, starpu.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	slow, err := starpu.Run(s.g, s.m, s.d, unprobed{q}, starpu.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	if fast.Events != slow.Events || !reflect.DeepEqual(fast.Worker, slow.Worker) || !reflect.DeepEqual(fast.Begin, slow.Begin) || !reflect.DeepEqual(fast.End, slow.End) {
		t.Fatalf("the run takes %d ns and %d events, want %d and %d", fast.Makespan, fast.Events, slow.Makespan, slow.Events)
	}
}
