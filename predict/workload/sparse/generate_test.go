package sparse

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"dagscope/internal/text"
)

func generated(t testing.TB, family string, numbers ...string) *Entries {
	t.Helper()
	e, err := Generate(family, numbers, 1)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestSizes compares with the sizes that the SuiteSparse collection gives.
func TestSizes(t *testing.T) {
	for _, c := range []struct {
		args                string
		rows, cols, entries int
	}{
		{"tf 10", 99, 106, 622}, {"tf 11", 0, 235, 1607}, {"tf 12", 0, 551, 4231}, {"tf 13", 0, 1301, 11185},
		{"tf 14", 2644, 3159, 29862}, {"tf 15", 6334, 7741, 80057},
		{"tf 16", 15437, 19320, 216173}, {"tf 17", 38132, 48629, 586218},
		{"kneser 6 2", 601, 676, 2027}, {"kneser 8 3", 15737, 15681, 47042},
		{"chessboard 7 6 3", 12600, 4200, 50400},
		{"bibd 9 5", 36, 126, 1260}, {"bibd 12 5", 66, 792, 7920},
		{"grad3d 3 4 5 0", 133, 60, 266}, {"random 100 30 7", 100, 30, 700},
	} {
		t.Run(c.args, func(t *testing.T) {
			slowMatrix(t, c.args)
			words := strings.Fields(c.args)
			m := generated(t, words[0], words[1:]...).Matrix()
			if c.rows > 0 && m.Rows != c.rows || m.Cols != c.cols || m.Entries() != int64(c.entries) {
				t.Errorf("%d × %d with %d entries, want %d × %d with %d", m.Rows, m.Cols, m.Entries(), c.rows, c.cols, c.entries)
			}
		})
	}
}

// TestGeneratedAsStored compares with stored matrices made elsewhere, rows and
// columns in the same order.
func TestGeneratedAsStored(t *testing.T) {
	for name, args := range map[string]string{"TF14": "tf 14", "TF15": "tf 15", "TF16": "tf 16", "TF17": "tf 17", "kneser_6_2_1": "kneser 6 2", "kneser_8_3_1": "kneser 8 3", "ch7-6-b3": "chessboard 7 6 3"} {
		t.Run(name, func(t *testing.T) {
			slowMatrix(t, name)
			words := strings.Fields(args)
			got, want := generated(t, words[0], words[1:]...).Matrix(), goldenMatrix(t, name)
			if !slices.Equal(got.ColAt, want.ColAt) || !slices.Equal(got.Row, want.Row) {
				t.Errorf("%s differs from %s", args, name)
			}
		})
	}
}

func TestWrittenIsRead(t *testing.T) {
	for _, args := range []string{"tf 9", "kneser 5 2", "chessboard 4 3 1", "bibd 6 3", "grad3d 3 3 2 50", "random 20 9 3"} {
		words := strings.Fields(args)
		e := generated(t, words[0], words[1:]...)
		var file bytes.Buffer
		if err := e.Write(&file); err != nil {
			t.Fatal(err)
		}
		r, err := text.New(&file, "m.mtx")
		if err != nil {
			t.Fatal(err)
		}
		m, err := readMatrix(r, "m.mtx")
		if err != nil {
			t.Fatalf("%s: %v", args, err)
		}
		want := e.Matrix()
		if m.Rows != want.Rows || !slices.Equal(m.ColAt, want.ColAt) || !slices.Equal(m.Row, want.Row) {
			t.Errorf("%s is read back differently", args)
		}
	}
}

func TestGenerateErrors(t *testing.T) {
	for args, want := range map[string]string{
		"cube 3":              `found "cube", want one of tf, kneser`,
		"tf":                  "generate tf N: found 0 numbers, want more",
		"tf 10 11":            "want at most 1",
		"tf 40":               `found "40", want a number from 4 to 20`,
		"tf x":                `found "x", want a number`,
		"kneser 3 5":          "subsets of 5 out of 3",
		"chessboard 3 3 3":    "4 rooks on a board of 3 × 3",
		"chessboard 12 12 11": "entries, want at most",
		"bibd 60 30":          "entries, want at most",
		"grad3d 400 400 400":  "entries, want at most",
		"random 3 3 4":        "4 entries in a row of 3 columns",
	} {
		words := strings.Fields(args)
		_, err := Generate(words[0], words[1:], 1)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
}
