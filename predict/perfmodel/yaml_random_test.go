package perfmodel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

// Any valid set is read as it was written.
func TestRandomYAMLRoundTrip(t *testing.T) {
	for seed := range uint64(300) {
		s := randomSet(rand.New(rand.NewPCG(seed, 3)))
		text, err := s.YAML()
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseYAML("again.yaml", text)
		if err != nil {
			t.Fatalf("seed %d: %v in\n%s", seed, err, text)
		}
		if !reflect.DeepEqual(s.Models, again.Models) {
			t.Fatalf("seed %d: read\n%+v, want\n%+v\n%s", seed, again.Models, s.Models, text)
		}
	}
}

// randomSet are models of one kind each, of all methods, named and not.
func randomSet(rng *rand.Rand) *Set {
	var models []Model
	for k := range 1 + rng.IntN(5) {
		m := Model{Kind: fmt.Sprintf("kind %d", k), Arch: "cpu", Device: Any, Method: Methods[rng.IntN(len(Methods))], Count: int64(rng.IntN(9))}
		m.Mean, m.Deviation = someDuration(rng), someDuration(rng)
		switch m.Method {
		case History, Sample:
			for b := range 1 + rng.IntN(3) {
				m.History = append(m.History, Entry{Bytes: int64(1 + b), Mean: someDuration(rng), Count: 1 + rng.Int64N(5)})
			}
		case Linear, NonLinear:
			m.Regression = randomRegression(rng)
		}
		if m.Method != Sample {
			busy := int32(0)
			for range rng.IntN(4) {
				busy += 1 + rng.Int32N(40)
				m.Contention = append(m.Contention, Load{busy, 0.5 + rng.Float64()*3})
			}
		}
		models = append(models, m)
	}
	s, err := NewSet(models)
	if err != nil {
		panic(err)
	}
	return s
}

func someDuration(rng *rand.Rand) float64 {
	return math.Exp(rng.Float64()*20) + 1
}

func randomRegression(rng *rand.Rand) *Regression {
	r := &Regression{Strict: rng.IntN(2) == 0, Floor: someDuration(rng)}
	if rng.IntN(2) == 0 {
		r.Parameters = []string{"MB", "NB", "BK", "x9"}[:1+rng.IntN(4)]
	}
	for v := range 1 + Variable(rng.IntN(5)) {
		var p Product
		for w := range Variable(rng.IntN(4)) {
			p = append(p, Power{(v + w) % 7, float64(1 + rng.IntN(3))})
		}
		r.Terms = append(r.Terms, Term{rng.NormFloat64() * 1e3, p})
		r.Ranges = append(r.Ranges, Range{v, rng.Float64(), 1 + rng.Float64()})
	}
	return r
}
