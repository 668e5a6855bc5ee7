package core

import (
	"fmt"
	"strings"

	"dagscope/explain/numbers/panels"
)

// Drawable reports whether all the panels exist as drawings; of one that has
// only numbers so far the error says so.
func Drawable(ids []string) error {
	for _, id := range ids {
		if _, err := Find(id); err == nil {
			continue
		}
		if _, err := panels.Find(id); err != nil {
			continue // unknown altogether: Find says what exists
		}
		var drawn []string
		for _, p := range All() {
			drawn = append(drawn, p.ID)
		}
		return fmt.Errorf("draw panel %s: it has numbers (dagscope data RUN %s) but cannot be drawn yet; drawn can be %s",
			id, id, strings.Join(drawn, ", "))
	}
	return nil
}
