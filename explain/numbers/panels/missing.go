package panels

import (
	"errors"
	"fmt"
	"strings"

	"dagscope/explain/bound"
	"dagscope/trace"
)

// Missing is the error of a panel that has nothing to draw.
type Missing struct{ Why string }

func (m *Missing) Error() string { return m.Why }

// WithoutModels makes the lack of performance models what it is for a panel or its
// numbers: something that the run does not have.
func WithoutModels(err error) error {
	if none := (*bound.NoModels)(nil); errors.As(err, &none) {
		return &Missing{none.Error()}
	}
	return err
}

// Met reports whether one of the alternatives of a need has rows.
func Met(run *trace.Run, need string) bool {
	for _, alternative := range strings.Split(need, "|") {
		if c, ok := column(run, alternative); ok && c.Len() > 0 {
			return true
		}
	}
	return false
}

func column(run *trace.Run, name string) (trace.Column, bool) {
	table, col, _ := strings.Cut(name, ".")
	return run.Column(table, col)
}

func Describe(run *trace.Run, need string) string {
	var words []string
	for _, alternative := range strings.Split(need, "|") {
		c, ok := column(run, alternative)
		if !ok {
			panic("panel: needs " + alternative + ", which no table has")
		}
		words = append(words, fmt.Sprintf("%s (%s)", alternative, c.Doc))
	}
	return strings.Join(words, " or ")
}
