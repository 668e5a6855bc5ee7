package assemble

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"dagscope/trace"
)

// TestRowCacheAnswersAsWithoutIt: each text is looked up once on each rank that
// asks for it, whatever the order.
func TestRowCacheAnswersAsWithoutIt(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 1))
	const ranks, texts = 4, 20
	find := func(rank, text int32) int32 { return (rank*texts+text)%7 - 1 } // None too
	asked := map[rankText]int{}
	cache := newRowCache(texts, func(rank, text int32) int32 {
		asked[rankText{rank, text}]++
		return find(rank, text)
	})
	for range 2000 {
		rank, text := r.Int32N(ranks), r.Int32N(texts)
		if got, want := cache.get(rank, text), find(rank, text); got != want {
			t.Fatalf("text %d of rank %d: got row %d, want %d", text, rank, got, want)
		}
		if n := asked[rankText{rank, text}]; n != 1 {
			t.Fatalf("text %d of rank %d was looked up %d times", text, rank, n)
		}
	}
}

// TestMappedTexts: rows get the texts that interning one by one gives them, in
// a column that holds others already.
func TestMappedTexts(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 2))
	var from, got, want trace.Strings
	for range 300 {
		if k := r.IntN(30); k == 0 {
			from.AppendIndex(trace.None)
		} else {
			from.Append([]string{"", "potrf", fmt.Sprint(k)}[k%3])
		}
	}
	got.Intern("gemm")
	want.Intern("gemm")
	texts := mapTexts(&from, optional(&got))
	for row := range from.Index {
		got.AppendIndex(texts.at(row))
		want.AppendIndex(internText(&want, from.At(row)))
	}
	if texts.at(len(from.Index)) != trace.None {
		t.Error("a row that is not there has a text")
	}
	if fmt.Sprint(got.Index, got.Dict) != fmt.Sprint(want.Index, want.Dict) {
		t.Errorf("got %v of %q, want %v of %q", got.Index, got.Dict, want.Index, want.Dict)
	}
}
