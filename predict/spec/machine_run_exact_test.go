package spec

import (
	"testing"

	"dagscope/predict/platform"
	"dagscope/predict/starpu"
	"dagscope/trace"
)

// Transfers agree on a speed where several had it, the fastest such; one that seems
// faster, and those that shared, do not count.
func TestAgreed(t *testing.T) {
	const pair, n = 1, 2
	moves := func(alone bool, speeds ...float64) (all []move) {
		for _, s := range speeds {
			all = append(all, move{pair: pair, bytes: 1 << 20, speed: s, alone: alone})
		}
		return all
	}
	for _, x := range []struct {
		of   []move
		want float64
	}{
		{moves(true, 5e9, 5e9, 5e9, 7e9, 3e9, 3e9, 3e9), 5e9},
		{moves(true, 5e9, 5.1e9, 5.2e9), 0},
		{moves(false, 5e9, 5e9, 5e9), 0},
		{moves(false, 5e9, 5e9, 5e9, 5e9, 5e9, 4e9), 5e9},
		{append(moves(true, 4e9, 4e9, 4e9), moves(false, 6e9, 6e9, 6e9, 6e9, 6e9)...), 4e9},
		{nil, 0},
	} {
		if got := agreed(x.of, n, true)[pair]; got != x.want {
			t.Errorf("%+v: found %g, want %g", x.of, got, x.want)
		}
	}
}

// Without a disk only those count that were alone.
func TestAgreedAlone(t *testing.T) {
	var all []move
	for range 9 {
		all = append(all, move{pair: 1, bytes: 1 << 20, speed: 5e9})
	}
	if got := agreed(all, 2, false)[1]; got != 0 {
		t.Errorf("found %g, want none", got)
	}
}

// Transfers to RAM that its link limits are as fast as each other among several nodes;
// the link has what acknowledgements take besides.
func TestAcknowledged(t *testing.T) {
	r := &runMachine{run: &trace.Run{}, m: &platform.Machine{Memories: make([]platform.Memory, 3)}}
	back := 1 + starpu.DefaultMPI().Back
	exact := []float64{0, 5e9, 5e9, 6e9, 0, 4e9, 6e9, 4e9, 0}
	r.acknowledged(exact)
	if exact[3] != 6e9*back || exact[6] != 6e9*back || exact[1] != 5e9 || exact[5] != 4e9 {
		t.Errorf("found %v", exact)
	}
	exact = []float64{0, 5e9, 5e9, 6e9, 0, 0, 0, 0, 0}
	if r.acknowledged(exact); exact[3] != 6e9 {
		t.Errorf("one alone, of which nothing else is known: found %v", exact)
	}
}

// Limits are round.
func TestRoundest(t *testing.T) {
	for _, x := range [][3]int64{{128, 160, 150}, {224, 256, 250}, {480, 512, 500}, {320, 352, 350}, {960, 1024, 1000}, {1024, 1025, 1024}, {3, 5, 3}} {
		if got := roundest(x[0], x[1]); got != x[2] {
			t.Errorf("from %d to %d: found %d, want %d", x[0], x[1], got, x[2])
		}
	}
	for _, x := range []struct {
		values []int64
		want   int64
	}{{[]int64{32, 64, 96, 64}, 32}, {[]int64{0, 5}, 5}, {nil, 0}, {[]int64{7, 7}, 7}} {
		if got := stepOf(x.values); got != x.want {
			t.Errorf("%v: found a step of %d, want %d", x.values, got, x.want)
		}
	}
}

// Devices on one root share what goes down to it, and what comes up; those that are
// alone on theirs have no such link, and what stays on a root does not use it.
func TestRootsAreShared(t *testing.T) {
	const n = 4 // RAM and devices 1 | 2, 3
	r := &runMachine{m: &platform.Machine{Memories: make([]platform.Memory, n), Routes: make([][]int32, n*n)}}
	for d := 1; d < n; d++ {
		r.m.Memories[d] = platform.Memory{Name: string(rune('A' + d)), Kind: platform.GPU}
	}
	for p := range n * n {
		if p/n != p%n {
			r.m.Routes[p] = []int32{int32(len(r.m.Links))}
			r.m.Links = append(r.m.Links, platform.Link{Bandwidth: float64(p)})
		}
	}
	own := len(r.m.Links)
	r.roots([]int{0, 1, 2, 2})
	if len(r.m.Links) != own+2 || r.m.Links[own].Bandwidth != 3 || r.m.Links[own+1].Bandwidth != 12 {
		t.Fatalf("found links %+v, want two more, as fast as the fastest from RAM, and to it", r.m.Links[own:])
	}
	for p, route := range r.m.Routes {
		from, to := p/n, p%n
		want := []int32{}
		if to >= 2 && from < 2 {
			want = append(want, int32(own))
		}
		if from >= 2 && to < 2 {
			want = append(want, int32(own+1))
		}
		if got := len(route) - min(1, len(route)); got != len(want) || got == 1 && route[1] != want[0] {
			t.Errorf("%d to %d: found route %v, want %v after its own link", from, to, route, want)
		}
	}
}
