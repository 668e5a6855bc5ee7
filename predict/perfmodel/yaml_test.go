package perfmodel

import (
	"reflect"
	"strings"
	"testing"

	"dagscope/internal/budget"
	"dagscope/predict/platform"
	"dagscope/trace"
)

const written = `models:
  - {kind: gemm, arch: cuda, mean: 2.8ms}
  - kind: gemm
    arch: cuda
    device: 1
    history:
      - {footprint: ff82dda0, mean: 3ms}
      - {bytes: 100, mean: 7us, sample: [5us, 9us]}
  - kind: gemm
    arch: cpu
    regression:
      terms:
        - {coefficient: 1000, of: 1}
        - {coefficient: 2.5, of: gflop^1.5*p2}
      ranges: [{of: gflop, min: 1, max: 9}]
`

func TestParseYAML(t *testing.T) {
	s, err := ParseYAML("kernels.yaml", []byte(written))
	if err != nil {
		t.Fatal(err)
	}
	expect(t, s, Task{}, cuda0, 2.8e6)
	expect(t, s, Task{Footprint: 0xff82dda0}, platform.Type{Arch: "cuda", Device: 1}, 3e6)
	expect(t, s, Task{Bytes: 100}, platform.Type{Arch: "cuda", Device: 1}, 7e3)
	expect(t, s, Task{}, platform.Type{Arch: "cuda", Device: 1}, 0)
	expect(t, s, Task{GFlop: 4, Parameters: []float64{0, 3}}, cpu, 1000+2.5*8*3)
	expect(t, s, Task{GFlop: 100, Parameters: []float64{0, 3}}, cpu, 1000+2.5*1000*3)
}

// Fitted models and those of StarPU are read as they were written.
func TestYAMLRoundTrip(t *testing.T) {
	var sets []*Set
	for _, method := range Methods {
		s, err := FitModels([]*trace.Run{made(t, panelRows(300, 3, 1e5))}, FitOptions{Method: method, Formula: panelFormula, ByDevice: true})
		if err != nil {
			t.Fatal(err)
		}
		sets = append(sets, s)
	}
	sets = append(sets, readText(t, modelText("1", "0 0 0 0 2 1.5 10 100 1000", "3 2 7", noMulti, "1 5000 1e9 77.123456 1 770 0 9"), ""))
	for _, s := range sets {
		text, err := s.YAML()
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseYAML("again.yaml", text)
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		for i := range s.Models {
			s.Models[i].Fit = nil
		}
		if !reflect.DeepEqual(s.Models, again.Models) {
			t.Errorf("read\n%+v, want\n%+v", again.Models, s.Models)
		}
	}
}

func TestYAMLErrorsNameFileAndLine(t *testing.T) {
	for text, want := range map[string]string{
		"": "read f.yaml: found nothing, want keys",
		"models:\n- {kind: a, arch: cpu, mean: 3}":                                                                   `read f.yaml:2: found "3", want a duration such as 2.8ms`,
		"models:\n- {kind: a, arch: cpu, mean: -3ms}":                                                                `read f.yaml:2: found "-3ms", want a duration such as 2.8ms`,
		"models:\n- {kind: a}":                                                                                       "read f.yaml:2: found a model without kind or arch, want both",
		"models:\n- {kind: a, arch: cpu}":                                                                            "read f.yaml:2: found no mean of a on cpu, want one for method mean",
		"models:\n- {kind: a, arch: cpu, method: history}":                                                           "read f.yaml:2: found no history of a on cpu, want one for method history",
		"models:\n- {kind: a, arch: cpu, method: guess}":                                                             `read f.yaml:2: found method "guess", want one of [mean history regression power sample]`,
		"models:\n- {kind: a, arch: cpu, mean: 1s}\n- {kind: a, arch: cpu, mean: 2s}":                                "read f.yaml: join models: found two of a on cpu (implementation 0), want one",
		"models:\n- {kind: a, arch: cpu, device: -2, mean: 1s}":                                                      "read f.yaml:2: found device -2, want a number from 0",
		"models:\n- {kind: a, arch: cpu, regression: {}}":                                                            "read f.yaml:2: found a regression without terms, want one",
		"models:\n- {kind: a, arch: cpu, regression: {terms: [{coefficient: .nan, of: 1}]}}":                         "read f.yaml:2: found coefficient NaN, want a number",
		"models:\n- {kind: a, arch: cpu, history: [{footprint: xyz, mean: 1s}]}":                                     `read f.yaml:2: found footprint "xyz", want 8 hexadecimal digits`,
		"models:\n- {kind: a, arch: cpu, regresion: {}}":                                                             "read f.yaml:2: found unknown key",
		"models:\n- {kind: a, arch: cpu, regression: {terms: [{coefficient: 1, of: p1 + p2}]}}\n#3":                  `read f.yaml:2: found "p1 + p2", want gflop, bytes or p1 to p64`,
		"models:\n- {kind: a, arch: cpu, regression: {parameters: [MB], terms: [{coefficient: 1, of: NB}]}}":         `read f.yaml:2: found "NB", want gflop, bytes, p1 to p64 or one of MB`,
		"models:\n- {kind: a, arch: cpu, regression: {parameters: [MB, MB], terms: [{coefficient: 1, of: MB}]}}":     `read f.yaml:2: found parameter "MB" twice, want different names`,
		"models:\n- {kind: a, arch: cpu, regression: {parameters: [bytes], terms: [{coefficient: 1, of: 1}]}}":       `read f.yaml:2: found a parameter "bytes", want a name of letters and digits that is not gflop, bytes or p1 to p64`,
		"models:\n- {kind: a, arch: cpu, mean: 1s, contention: [{busy: 0, factor: 1}]}":                              "read f.yaml:2: found contention at 0 busy workers, want 1 to 1048576",
		"models:\n- {kind: a, arch: cpu, mean: 1s, contention: [{busy: 2, factor: 1}, {busy: 2, factor: 2}]}":        "read f.yaml:2: found contention at 2 busy workers after 2, want ascending numbers",
		"models:\n- {kind: a, arch: cpu, mean: 1s, contention: [{busy: 2, factor: -1}]}":                             "read f.yaml:2: found a factor of -1 at 2 busy workers, want one above 0 up to 1000",
		"models:\n- {kind: a, arch: cpu, mean: 1s, contention: [{busy: 2, factor: .nan}]}":                           "read f.yaml:2: found a factor of NaN at 2 busy workers, want one above 0 up to 1000",
		"models:\n- {kind: a, arch: cpu, method: sample, history: [{mean: 1s}], contention: [{busy: 2, factor: 2}]}": "read f.yaml:2: found contention of a model of method sample",
	} {
		if _, err := ParseYAML("f.yaml", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q:\n%v, want\n%s", text, err, want)
		}
	}
}

func TestDurationsAreWrittenWithoutLoss(t *testing.T) {
	for _, ns := range []float64{0, 1, 999, 1000, 2805000, 18849694.123, 1e9, 3.5e9, 1.0 / 3, 1234567.0 / 9} {
		got, err := parseDuration(formatDuration(ns))
		if err != nil || got != ns {
			t.Errorf("%v is written %s and read %v (%v)", ns, formatDuration(ns), got, err)
		}
	}
	if got := formatDuration(2805000); got != "2.805ms" {
		t.Errorf("2805000 ns is written %s", got)
	}
}

func FuzzParseYAML(f *testing.F) {
	f.Add(written)
	f.Fuzz(func(t *testing.T, text string) {
		budget.Watch(t)
		s, err := ParseYAML("f", []byte(text))
		if err != nil {
			return
		}
		for _, kind := range s.Kinds() {
			task := Task{Kind: kind, Footprint: 0xff82dda0, Bytes: 100, GFlop: 2, Parameters: []float64{3, 4}}
			for _, on := range []platform.Type{cpu, cuda0} {
				if ns, ok := s.Draw(task, on, 1, 2); ok && !(ns >= shortestDuration) {
					t.Errorf("duration %v of %+v", ns, task)
				}
			}
		}
		out, err := s.YAML()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ParseYAML("again", out); err != nil {
			t.Errorf("%v in\n%s", err, out)
		}
	})
}
