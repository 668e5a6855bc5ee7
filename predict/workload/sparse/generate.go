package sparse

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
)

// Generator makes matrices of a family.
type Generator struct {
	Name   string
	Usage  string  // the numbers it takes: "N", "N K"
	What   string  // in a line
	limits []limit // of its numbers
	check  func(n []int) error
	make   func(e *Entries, n []int, seed uint64)
}

// limit is what a number of a generator may be, and what it is if left out.
type limit struct{ from, to, otherwise int }

// required is the value of a number that must be given.
const required = math.MinInt

// Generators are the families of matrices that can be made: those that are
// defined by mathematics, as in the SuiteSparse collection, and least squares
// problems that look like applications.
var Generators = []Generator{
	{Name: "tf", Usage: "N", What: "forests: TFn of JGD_Forest; two-tree forests on N nodes × trees on N nodes", limits: []limit{{4, 20, required}}, make: forests},
	{Name: "kneser", Usage: "N K", What: "Nullstellensatz system of the Kneser graph's 3-colouring: kneser_n_k_1 of JGD_Margulies", limits: []limit{{2, 16, required}, {1, 8, required}}, check: checkKneser, make: kneser},
	{Name: "chessboard", Usage: "P Q D", What: "boundary matrix of the chessboard complex: chP-Q-bD of JGD_Homology", limits: []limit{{1, 12, required}, {1, 12, required}, {1, 11, required}}, check: checkChessboard, make: chessboard},
	{Name: "bibd", Usage: "N K", What: "pairs in the K-subsets of N points: bibd_N_K of JGD_BIBD", limits: []limit{{2, 60, required}, {2, 30, required}}, check: checkSubsets, make: bibd},
	{Name: "grad3d", Usage: "NX NY NZ [PERCENT]", What: "least squares of differences along the axes of a grid, and observations at PERCENT (10) of its points, about 2 entries a row", limits: []limit{{1, 400, required}, {1, 400, required}, {1, 400, required}, {0, 100, 10}}, check: checkGrid, make: grad3d},
	{Name: "random", Usage: "ROWS COLS PER_ROW", What: "least squares with PER_ROW entries at random places of each row", limits: []limit{{1, 1 << 26, required}, {1, 1 << 26, required}, {1, 1000, required}}, check: checkRandom, make: random},
}

// maxGenerated bounds the entries of a matrix that is made.
const maxGenerated = 1 << 28

// Generate makes a matrix of a family from its numbers, as words. The seed is
// for what is random in it.
func Generate(family string, numbers []string, seed uint64) (*Entries, error) {
	g, err := generator(family)
	if err != nil {
		return nil, err
	}
	n, err := g.numbers(numbers)
	if err != nil {
		return nil, fmt.Errorf("generate %s %s: %w", family, g.Usage, err)
	}
	e := &Entries{Name: strings.Join(append([]string{family}, numbers...), "-")}
	g.make(e, n, seed)
	return e, nil
}

// UsualSeed is that of matrices that are named by their family: one name, one
// matrix.
const UsualSeed = 1

// Load reads a matrix from a file, or makes one where name is no file but a
// family and its numbers: "tf 16". Files are looked for by path, nil for where
// the program runs.
func Load(name string, path func(string) string) (*Matrix, error) {
	file := name
	if path != nil {
		file = path(name)
	}
	words := strings.Fields(name)
	if _, err := os.Stat(file); err == nil || len(words) < 2 {
		return ReadMatrix(file)
	}
	if _, err := generator(words[0]); err != nil {
		return ReadMatrix(file)
	}
	e, err := Generate(words[0], words[1:], UsualSeed)
	if err != nil {
		return nil, err
	}
	return e.Matrix(), nil
}

func generator(family string) (*Generator, error) {
	names := make([]string, len(Generators))
	for k := range Generators {
		if names[k] = Generators[k].Name; names[k] == family {
			return &Generators[k], nil
		}
	}
	return nil, fmt.Errorf("generate a matrix: found %q, want one of %s", family, strings.Join(names, ", "))
}

// numbers reads and checks the numbers of a generator.
func (g *Generator) numbers(words []string) ([]int, error) {
	if len(words) > len(g.limits) {
		return nil, fmt.Errorf("found %d numbers, want at most %d", len(words), len(g.limits))
	}
	n := make([]int, len(g.limits))
	for k, l := range g.limits {
		if n[k] = l.otherwise; k >= len(words) {
			if l.otherwise == required {
				return nil, fmt.Errorf("found %d numbers, want more", len(words))
			}
			continue
		}
		v, err := strconv.Atoi(words[k])
		if err != nil || v < l.from || v > l.to {
			return nil, fmt.Errorf("found %q, want a number from %d to %d", words[k], l.from, l.to)
		}
		n[k] = v
	}
	if g.check == nil {
		return n, nil
	}
	return n, g.check(n)
}

// tooMany is an error if a matrix would have too many entries.
func tooMany(entries float64) error {
	if entries > maxGenerated {
		return fmt.Errorf("found a matrix of %.3g entries, want at most %d", entries, maxGenerated)
	}
	return nil
}

func binomial(n, k int) float64 {
	b := 1.0
	for i := range k {
		b = b * float64(n-i) / float64(i+1)
	}
	return math.Round(b)
}
