package assemble

import (
	"testing"

	"dagscope/trace"
)

// TestSpellOut: only what communication threads leave undeclared is spelt out; a
// kernel or another thread's state may have such a name.
func TestSpellOut(t *testing.T) {
	var st trace.States
	for _, s := range [][2]string{{"Communication Thread State", "Sc"}, {"Worker State", "Sc"}, {"Communication Thread State", "Polling"}} {
		st.Type.Append(s[0])
		st.Kind.Append(s[1])
	}
	spellOut(&st)
	for i, want := range []string{"Scheduling", "Sc", "Polling"} {
		if got := st.Kind.At(i); got != want {
			t.Errorf("state %d is %q, wanted %q", i, got, want)
		}
	}
}
