package starpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"dagscope/predict/platform"
)

// sentMessage is a message of the test.
type sentMessage struct {
	from, to int32
	bytes    int64
	date     float64
}

// Messages arrive when a naive simulation says so, which shares all links among
// all messages step by step.
func TestFabricSharesLinks(t *testing.T) {
	for seed := range uint64(40) {
		draw := rand.New(rand.NewPCG(seed, 5))
		nodes := 2 + draw.IntN(5)
		net := platform.Network{Bandwidth: 1e9 * (1 + 3*draw.Float64()), Latency: 1e-6, Node: map[int]platform.Path{0: {Bandwidth: 5e8, Latency: 1e-4}}}
		if draw.IntN(3) > 0 {
			net.Backbone, net.BackboneLatency = 1e9*(1+4*draw.Float64()), 2e-6
		}
		m, err := platform.Cluster(platform.Plain(1), nodes, net)
		if err != nil {
			t.Fatal(err)
		}
		mpi := DefaultMPI()
		if draw.IntN(2) == 0 {
			mpi.Factors, mpi.Back = nil, 0
		}
		var all []sentMessage
		for range 1 + draw.IntN(30) {
			from := int32(draw.IntN(nodes))
			all = append(all, sentMessage{from, (from + 1 + int32(draw.IntN(nodes-1))) % int32(nodes), int64(draw.IntN(1 << 22)), 1e-3 * draw.Float64()})
		}
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			got, want := arrivals(m, &mpi, all), naiveArrivals(m, &mpi, all)
			for i := range all {
				if math.Abs(got[i]-want[i]) > 1e-6*want[i]+4e-9 {
					t.Errorf("%+v arrives at %g, want %g", all[i], got[i], want[i])
				}
			}
		})
	}
}

// arrivals are those of the fabric.
func arrivals(m *platform.Machine, mpi *MPI, all []sentMessage) []float64 {
	f, dates, number := newFabric(m, mpi), make([]float64, len(all)), make(map[*message]int)
	for i, s := range all {
		l := &message{from: s.from, to: s.to}
		number[l] = i
		f.send(l, false, s.bytes, s.date)
	}
	for !math.IsInf(f.next(), 1) {
		f.proceed(func(s *messageFlow) { dates[number[s.message]] = f.now })
	}
	return dates
}

// naive is a message of the naive simulation.
type naive struct {
	flow
	i     int
	enter float64
}

// naiveArrivals goes from event to event and shares all links again at each.
func naiveArrivals(m *platform.Machine, mpi *MPI, all []sentMessage) []float64 {
	f, dates := newFabric(m, mpi), make([]float64, len(all))
	var left []*naive
	for i, s := range all {
		p := f.route(s.from, s.to)
		x := &naive{flow: p.flow, i: i}
		p.smpi.set(&x.flow, s.bytes)
		x.remains, x.enter = float64(s.bytes), s.date+x.latency
		left = append(left, x)
	}
	for now := 0.0; len(left) > 0; {
		var active []*naive
		next := math.Inf(1)
		for _, x := range left {
			if x.enter > now {
				next = min(next, x.enter)
			} else {
				active = append(active, x)
			}
		}
		naiveShare(m, active)
		for _, x := range active {
			next = min(next, now+x.remains/(x.rate*x.factor))
		}
		var still []*naive
		for _, x := range left {
			if x.enter <= now {
				if x.remains -= (next - now) * x.rate * x.factor; x.remains < 1e-3 {
					dates[x.i] = next
					continue
				}
			}
			still = append(still, x)
		}
		left, now = still, next
	}
	return dates
}

// naiveShare raises the level of all until a link or a bound stops some.
func naiveShare(m *platform.Machine, active []*naive) {
	for _, x := range active {
		x.rate, x.fixed = 0, false
	}
	for {
		level, open := math.Inf(1), false
		for _, x := range active {
			if !x.fixed {
				open = true
				level = min(level, x.bound/x.weight())
			}
		}
		if !open {
			return
		}
		for l, link := range m.Links {
			used, demand := 0.0, 0.0
			for _, x := range active {
				if n := x.crossings(int32(l)); x.fixed {
					used += n * x.rate
				} else {
					demand += n * x.weight()
				}
			}
			if demand > 0 {
				level = min(level, (link.Bandwidth-used)/demand)
			}
		}
		for l, link := range m.Links {
			used := 0.0
			for _, x := range active {
				rate := x.rate
				if !x.fixed {
					rate = level * x.weight()
				}
				used += x.crossings(int32(l)) * rate
			}
			for _, x := range active {
				if full := used > link.Bandwidth*(1-1e-9) && x.crossings(int32(l)) > 0; full && x.rate == 0 {
					x.rate = level * x.weight()
				}
			}
		}
		for _, x := range active {
			if !x.fixed && x.rate == 0 && x.bound <= level*x.weight()*(1+1e-9) {
				x.rate = x.bound
			}
			x.fixed = x.rate > 0
		}
	}
}
