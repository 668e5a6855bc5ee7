package sparse

import "testing"

// big is the paper's largest matrix in the order of the reference COLAMD.
func big(b *testing.B, nb int) *Analysis {
	b.Helper()
	m := goldenMatrix(b, "TF17")
	perm, err := ReadPerm(golden(b, "ref/TF17/colamd/perm.csv"), min(m.Rows, m.Cols))
	if err != nil {
		b.Fatal(err)
	}
	a, err := Analyze(m, perm, Options{NB: nb})
	if err != nil {
		b.Fatal(err)
	}
	return a
}

func BenchmarkRead(b *testing.B) {
	for b.Loop() {
		goldenMatrix(b, "TF17")
	}
}

func BenchmarkAnalyze(b *testing.B) {
	m := goldenMatrix(b, "TF17")
	perm, err := ReadPerm(golden(b, "ref/TF17/colamd/perm.csv"), min(m.Rows, m.Cols))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Analyze(m, perm, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func benchmarkProgram(b *testing.B, nb, workers int) {
	a := big(b, nb)
	b.ReportAllocs()
	for b.Loop() {
		p, err := a.Program(workers)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(p.Graph.Tasks()), "tasks")
	}
}

func BenchmarkProgram(b *testing.B)          { benchmarkProgram(b, 128, 40) }
func BenchmarkProgramFine(b *testing.B)      { benchmarkProgram(b, 32, 8) }
func BenchmarkProgramManyCores(b *testing.B) { benchmarkProgram(b, 128, 400) }

func BenchmarkChain(b *testing.B) {
	p, err := big(b, 128).Program(40)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		p.Chain()
	}
}
