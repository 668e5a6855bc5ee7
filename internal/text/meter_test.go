package text

import (
	"slices"
	"testing"
)

func TestMeter(t *testing.T) {
	var told []int64
	m := NewMeter(func(done int64) { told = append(told, done) })
	a, b := m.File(), m.File()
	a(10)
	b(5)
	a(12)
	b(5)
	b(9)
	if want := []int64{10, 15, 17, 17, 21}; !slices.Equal(told, want) {
		t.Errorf("told %v, want %v", told, want)
	}
	NewMeter(nil).File()(3) // nobody to tell
}
