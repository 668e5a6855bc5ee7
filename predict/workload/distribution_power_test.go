package workload

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func randomPowers(rng *rand.Rand, most int) []float64 {
	power := make([]float64, 1+rng.IntN(most))
	for i := range power {
		power[i] = 1 + float64(rng.IntN(8))/4
	}
	return power
}

// greatest is the greatest load of a group that has some rows.
func greatest(has []int, weight []float64) (load float64) {
	for g := range has {
		load = math.Max(load, float64(has[g])/weight[g])
	}
	return load
}

// leastLoad tries all ways to give rows to groups.
func leastLoad(weight []float64, rows int) float64 {
	if len(weight) == 1 {
		return float64(rows) / weight[0]
	}
	least := math.Inf(1)
	for mine := range rows + 1 {
		least = math.Min(least, math.Max(float64(mine)/weight[0], leastLoad(weight[1:], rows-mine)))
	}
	return least
}

// Whatever leading rows are left out, nothing is better balanced.
func TestDealBalancesWhatIsLeft(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		weight, rows := randomPowers(rng, 4), rng.IntN(14)
		to := deal(weight, rows)
		has := make([]int, len(weight))
		for i := rows - 1; i >= 0; i-- {
			has[to[i]]++
			if got, want := greatest(has, weight), leastLoad(weight, rows-i); math.Abs(got-want) > 1e-9 {
				t.Fatalf("found a load of %g in the last %d rows of %v by %v, want %g", got, rows-i, to, weight, want)
			}
		}
	}
}

// perimeters is the sum of the half perimeters of columns of rectangles.
func perimeters(columns [][]int32, power []float64) (sum float64) {
	all := 0.0
	for _, p := range power {
		all += p
	}
	for _, nodes := range columns {
		width := 0.0
		for _, n := range nodes {
			width += power[n] / all
		}
		for _, n := range nodes {
			sum += width + power[n]/all/width
		}
	}
	return sum
}

// partitions calls f with each way to put nodes in columns.
func partitions(n, nodes int, columns [][]int32, f func([][]int32)) {
	if n == nodes {
		f(columns)
		return
	}
	for c := range columns {
		columns[c] = append(columns[c], int32(n))
		partitions(n+1, nodes, columns, f)
		columns[c] = columns[c][:len(columns[c])-1]
	}
	partitions(n+1, nodes, append(columns, []int32{int32(n)}), f)
}

func TestColumnsAreTheBest(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 40 {
		power := randomPowers(rng, 7)
		columns, err := Columns(power)
		if err != nil {
			t.Fatal(err)
		}
		if err := checkColumns(columns, power); err != nil {
			t.Fatal(err)
		}
		least := math.Inf(1)
		partitions(0, len(power), nil, func(c [][]int32) { least = math.Min(least, perimeters(c, power)) })
		if got := perimeters(columns, power); got > least+1e-9 {
			t.Fatalf("found perimeters %g of columns %v by %v, want %g", got, columns, power, least)
		}
	}
}

// Equal nodes in a grid have a block-cyclic distribution.
func TestEqualPowersAreBlockCyclic(t *testing.T) {
	g, err := LU(Tiled{Tiles: 17}, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, grid := range [][2]int{{1, 1}, {1, 5}, {3, 1}, {2, 3}, {5, 6}} {
		power := slices.Repeat([]float64{0.7}, grid[0]*grid[1])
		got, err := OneDOneD(g, GridColumns(grid[0], grid[1]), power)
		if err != nil {
			t.Fatal(err)
		}
		want, err := BlockCyclic(g, grid[0], grid[1])
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Errorf("found %v for %v, want %v", got, grid, want)
		}
	}
}

// Shares of tiles go with powers.
func TestOneDOneDShares(t *testing.T) {
	g, err := LU(Tiled{Tiles: 120}, false)
	if err != nil {
		t.Fatal(err)
	}
	power := slices.Repeat([]float64{1}, 30)
	power[0], power[1] = 1.5, 1.25
	owner, err := OneDOneD(g, GridColumns(6, 5), power)
	if err != nil {
		t.Fatal(err)
	}
	tiles := make([]int, 30)
	for _, o := range owner {
		tiles[o]++
	}
	for node, n := range tiles {
		if want := 120 * 120 * power[node] / 30.75; math.Abs(float64(n)/want-1) > 0.1 {
			t.Errorf("found %d tiles on node %d, want about %.0f", n, node, want)
		}
	}
}

func TestOneDOneDRefuses(t *testing.T) {
	g, err := LU(Tiled{Tiles: 4}, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		columns [][]int32
		power   []float64
		want    string
	}{
		{[][]int32{{0}}, []float64{0}, "power 0 of node 0"},
		{[][]int32{{0}}, []float64{math.NaN()}, "power NaN"},
		{[][]int32{{0, 0}}, []float64{1, 1}, "found node 0 in columns"},
		{[][]int32{{0}, {2}}, []float64{1, 1}, "found node 2"},
		{[][]int32{{0}}, []float64{1, 1}, "found 1 nodes in columns, want 2"},
		{[][]int32{{0}, {}}, []float64{1}, "without nodes"},
		{nil, nil, "found 0 nodes"},
	} {
		if _, err := OneDOneD(g, c.columns, c.power); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("found error %v, want %s", err, c.want)
		}
	}
}
