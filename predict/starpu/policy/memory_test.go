package policy_test

import (
	"strings"
	"testing"

	"dagscope/internal/budget"
	"dagscope/predict/starpu"
	"dagscope/predict/starpu/policy"

	"pgregory.net/rapid"
)

func heteroprio(t rapid.TB, m *policy.Memory) starpu.Policy {
	p, err := policy.New("heteroprio", policy.Options{Memory: m})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// withoutModel is the kind of the kernel of a model.
func withoutModel(name string) string { return strings.TrimPrefix(name, "model_") }

// A run that follows others comes out the same whether it has their memory itself or
// reads what StarPU would have written of it; a run without memory begins without.
func TestHeteroprioRemembers(t *testing.T) {
	differs := false
	rapid.Check(t, func(t *rapid.T) {
		g := program(t, rapid.IntRange(20, 80).Draw(t, "tasks"))
		m := machine(rapid.IntRange(1, 4).Draw(t, "cpus"), rapid.IntRange(0, 2).Draw(t, "gpus"))
		d, o := lengths(t, g, m), starpu.DefaultOptions()
		kept := &policy.Memory{}
		first := run(t, g, m, d, heteroprio(t, kept), o)
		text := policy.MemoryText(kept)
		read, err := policy.ParseMemory("x.data", []byte(text), withoutModel)
		if err != nil {
			t.Fatalf("%v of\n%s", err, text)
		}
		second, fromFile := run(t, g, m, d, heteroprio(t, kept.Clone()), o), run(t, g, m, d, heteroprio(t, read), o)
		if second.Makespan != fromFile.Makespan {
			t.Fatalf("the run takes %d ns with the memory, %d with what was written of it:\n%s", second.Makespan, fromFile.Makespan, text)
		}
		differs = differs || second.Makespan != first.Makespan
		if again := run(t, g, m, d, heteroprio(t, nil), o); again.Makespan != first.Makespan {
			t.Fatalf("without memory the run takes %d ns, at first %d", again.Makespan, first.Makespan)
		}
	})
	if !differs {
		t.Error("memory never made a difference")
	}
}

func TestMemoryFileErrors(t *testing.T) {
	const sound = "2 0 1\n1 2 3 4\nk 1 1\n0.5 3 2 1 5 6 12.5 7 1.5 9\n1 2 3 0.5\n1 2 3 0.5\n"
	if _, err := policy.ParseMemory("x.data", []byte("# c\n"+sound), withoutModel); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"":         "found the end of the file, want a number of architectures",
		"2 0":      "found the end of the file, want the number of an architecture",
		"65":       `x.data:1: found "65", want a number of architectures, a number from 0 to 64`,
		"1 0\nx":   `x.data:2: found "x", want how long workers were busy`,
		sound[:60]: "found the end of the file",
		strings.Replace(sound, "0.5 3 2 1 5", "0.5 3 2 1 999", 1): `x.data:4: found "999", want tasks, a number from 0 to 256`,
		strings.Replace(sound, "k 1 1", "k 1 NaN", 1):             `x.data:3: found "NaN"`,
	} {
		if _, err := policy.ParseMemory("x.data", []byte(text), withoutModel); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: found error %v, want %q in it", text, err, want)
		}
	}
}

func FuzzParseMemory(f *testing.F) {
	f.Add("2 0 1\n1 2 3 4\nk 1 1\n0.5 3 2 1 5 6 12.5 7 1.5 9\n1 2 3 0.5\n1 2 3 0.5\n")
	f.Fuzz(func(t *testing.T, text string) {
		budget.Watch(t)
		m, err := policy.ParseMemory("x.data", []byte(text), withoutModel)
		if (m == nil) != (err != nil) {
			t.Errorf("found memory %v and error %v", m, err)
		}
	})
}
