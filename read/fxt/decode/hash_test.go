package decode

import (
	"math/rand/v2"
	"slices"
	"testing"

	"dagscope/read/fxt/layout"
)

// Keys that programs have, and those that a table could stumble over.
func randomKey(rng *rand.Rand) uint64 {
	switch rng.IntN(4) {
	case 0:
		return uint64(rng.IntN(50))
	case 1:
		return 0x55d0bf469000 + uint64(rng.IntN(3000))*0x48
	case 2:
		return uint64(rng.IntN(3)) << 62
	}
	return ^uint64(rng.IntN(40))
}

func TestTableIsAMap(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 3))
		var tab table
		want := map[uint64]int32{}
		for range rng.IntN(6000) {
			k := randomKey(rng)
			if rng.IntN(2) == 0 {
				v := int32(rng.IntN(1 << 20))
				tab.put(k, v)
				want[k] = v
			}
			w, ok := want[k]
			if !ok {
				w = -1
			}
			if got := tab.get(k); got != w {
				t.Fatalf("seed %d: found %d for %#x, want %d", seed, got, k, w)
			}
		}
		for k, w := range want {
			if got := tab.get(k); got != w {
				t.Fatalf("seed %d: found %d for %#x, want %d", seed, got, k, w)
			}
		}
		if tab.n != len(want) {
			t.Errorf("seed %d: found %d keys, want %d", seed, tab.n, len(want))
		}
	}
}

func TestDenseIsAMap(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 4))
		var d dense
		want := map[uint64]int32{}
		for i := range rng.IntN(4000) {
			k := randomKey(rng)
			if rng.IntN(2) == 0 {
				k = uint64(i)*3 + uint64(rng.IntN(9))
			}
			if _, ok := want[k]; !ok {
				d.put(k, int32(i))
				want[k] = int32(i)
			}
		}
		for k := range want {
			for _, k := range []uint64{k, k + 1, k - 1} {
				w, ok := want[k]
				if !ok {
					w = -1
				}
				if got := d.get(k); got != w {
					t.Fatalf("seed %d: found %d for %#x, want %d", seed, got, k, w)
				}
			}
		}
		if most := 2*(4*len(want)+1025) + 8; len(d.slice) > most {
			t.Errorf("seed %d: %d ids take a slice of %d, want at most %d", seed, len(want), len(d.slice), most)
		}
	}
}

// Every event that is bound is one of some version, and what a binding cannot do
// without is there in the newest version that has the event.
func TestBindingsBind(t *testing.T) {
	versions := layout.Versions()
	for i := range bindings {
		b := &bindings[i]
		bound := false
		for _, v := range versions {
			d, err := newDispatch(v, bindings[i:i+1])
			if err != nil {
				t.Fatal(err)
			}
			if e := EventNamed(v, b.event); e != nil && e.Code < maxCode {
				bound = bound || d.byCode[e.Code].do != nil
			}
		}
		if !bound {
			t.Errorf("%s wants %q: no version has all of that", b.event, b.wants)
		}
		if len(b.wants) > maxWants {
			t.Errorf("%s wants %d parameters, want at most %d", b.event, len(b.wants), maxWants)
		}
		if b.table == "" {
			t.Errorf("%s has no table for the account", b.event)
		}
	}
	for _, v := range versions {
		if _, err := newDispatch(v, bindings); err != nil {
			t.Errorf("StarPU %s: %v", v.Name, err)
		}
	}
	if _, err := newDispatch(versions[0], append(bindings[:1:1], bindings[0])); err == nil {
		t.Error("an event bound twice is no error")
	}
}

// EventNamed is the layout of an event, nil where the version has none of that name.
func EventNamed(v *layout.Version, name string) *layout.Event {
	if i := slices.IndexFunc(v.Events, func(e layout.Event) bool { return e.Name == name }); i >= 0 {
		return &v.Events[i]
	}
	return nil
}
