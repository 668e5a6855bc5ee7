package progress

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"dagscope/explain/numbers/panels"
	"dagscope/show/panel/core"
	"dagscope/show/panel/paneltest"
	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// What the index of iterations draws is what going through the tasks draws.
func TestIterationIndexDrawsTheSame(t *testing.T) {
	compared := 0
	for seed := range uint64(12) {
		runs := []*trace.Run{tracetest.Random(seed, 200), tracetest.Cholesky(tracetest.Options{Tiles: 5 + int(seed), Seed: seed, Nodes: 1 + int(seed)%2})}
		for i, run := range runs {
			o := core.Options{}
			o.Iterations.ByNode = seed%2 == 1
			if seed%3 == 0 {
				o.Hide = run.Task.Kind.Dict[:1]
			}
			plain, err := openIterations(run, &o)
			if err != nil {
				continue
			}
			o.Base = &core.Base{}
			indexed, err := openIterations(run, &o)
			if err != nil {
				t.Fatal(err)
			}
			if indexed.(*iterationView).index == nil {
				t.Fatal("there is no index")
			}
			r := rand.New(rand.NewPCG(seed, 14))
			t0, t1, _ := panels.Extent(run)
			for range 10 {
				q := paneltest.RandomWindow(r, t0, t1)
				compared++
				if got, want := indexed.Draw(q), plain.Draw(q); !reflect.DeepEqual(got, want) {
					t.Fatalf("%s: drawings differ:\n%+v\n%+v", fmt.Sprint(seed, i, q), got.Layers, want.Layers)
				}
			}
		}
	}
	if compared < 50 {
		t.Fatalf("only %d drawings were compared", compared)
	}
}
