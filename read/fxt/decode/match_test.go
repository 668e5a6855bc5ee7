package decode

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// naiveMatch pairs messages by looking for each send through all receives.
func naiveMatch(number []int32, sends, recvs []*posts) (pairs []pair) {
	taken := map[[2]int]bool{}
	for src, s := range sends {
		for i := range s.time {
			dst := slices.Index(number, s.peer[i])
			if dst < 0 {
				continue
			}
			for k := range recvs[dst].time {
				if recvs[dst].peer[k] == number[src] && recvs[dst].tag[k] == s.tag[i] && !taken[[2]int{dst, k}] {
					taken[[2]int{dst, k}] = true
					pairs = append(pairs, pair{int32(src), int32(i), int32(dst), int32(k)})
					break
				}
			}
		}
	}
	return pairs
}

func randomPosts(random *rand.Rand, ranks, n int) *posts {
	p := &posts{}
	t := int64(0)
	for range n {
		t += random.Int64N(3) * 1000
		p.time = append(p.time, t)
		p.peer = append(p.peer, int32(random.IntN(ranks+1))*10) // one rank has no file
		p.tag = append(p.tag, random.Int64N(3))
	}
	return p
}

func TestMatchMessagesIsTheNaiveSearch(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		ranks := 1 + random.IntN(4)
		var number []int32
		var sends, recvs []*posts
		for r := range ranks {
			number = append(number, int32(r)*10)
			sends = append(sends, randomPosts(random, ranks, random.IntN(20)))
			recvs = append(recvs, randomPosts(random, ranks, random.IntN(20)))
		}
		got, want := matchMessages(number, sends, recvs), naiveMatch(number, sends, recvs)
		for i := 1; i < len(got); i++ {
			a, b := got[i-1], got[i]
			if sends[a.src].time[a.send] > sends[b.src].time[b.send] {
				t.Fatalf("found message %d sent after message %d", i-1, i)
			}
		}
		slices.SortFunc(got, func(a, b pair) int { return int(a.src-b.src)*1000 + int(a.send-b.send) })
		if !slices.Equal(got, want) {
			t.Fatalf("found %v, wanted %v", got, want)
		}
	}
}

func TestMessagesAreNumberedAsTheConverterDoes(t *testing.T) {
	// 201 ns apart, in single precision the same as ms though not as ns: by rank.
	late, early := &posts{time: []int64{18259993714}, peer: []int32{1}, tag: []int64{0}}, &posts{time: []int64{18259993513}, peer: []int32{0}, tag: []int64{0}}
	order := sendOrder([]*posts{late, early})
	if order[0].rank != 0 || order[1].rank != 1 {
		t.Errorf("found %v, wanted rank 0 before rank 1", order)
	}
}
