package starpu

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"dagscope/internal/budget"
	"dagscope/internal/text"

	"github.com/klauspost/compress/gzip"
	"pgregory.net/rapid"
)

// scan returns the records as "Key=value" joined by ";".
func scanned(s *recordScanner, in string) ([]string, error) {
	r, err := text.New(strings.NewReader(in), "x")
	if err != nil {
		return nil, err
	}
	var got []string
	err = s.scan(r, func(fields []recordField, lines int64) error {
		var rec []string
		sum := int64(0)
		for _, f := range fields {
			rec = append(rec, fmt.Sprintf("%s=%s", f.Key, f.Value))
			sum += f.Lines
		}
		if sum != lines {
			return fmt.Errorf("record of %d lines has fields of %d", lines, sum)
		}
		got = append(got, strings.Join(rec, ";"))
		return nil
	})
	return got, err
}

func TestRecords(t *testing.T) {
	in := "# comment\n%rec: task\n%key: JobId\n\nName: GEMM\r\nJobId: 1\n# inside\nModes:  R\n\n\n" +
		"Name: two\n+ lines\n+more\nbroken line\nEmpty:\nEndDependencies: 3, 4 \nName: next\nJobId: 2"
	var damage []int64
	s := recordScanner{EndAfter: "EndDependencies", Damaged: func(line int64, _ []byte, _ string) { damage = append(damage, line) }}
	got, err := scanned(&s, in)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"Name=GEMM;JobId=1;Modes= R", "Name=two\nlines\nmore;Empty=;EndDependencies=3, 4 ", "Name=next;JobId=2"}
	if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if s.Blank != 3 || s.Comments != 2 || s.Descriptors != 2 || s.Broken != 1 || fmt.Sprint(damage) != "[14]" {
		t.Errorf("counted %+v, damage at %v", s, damage)
	}
}

func TestBrokenLines(t *testing.T) {
	for _, in := range []string{"no colon\n", ": no key\n", "+ nothing before\n", "bad key: x\n", "%: x\n", "kéy: x\n"} {
		s := recordScanner{}
		got, err := scanned(&s, in)
		if err != nil || len(got) != 0 || s.Broken != 1 {
			t.Errorf("%q: got %q, %v, %d broken lines", in, got, err, s.Broken)
		}
	}
}

// TestBlocksDoNotMatter compares with the same scanner fed in one piece, and
// both with splitting the text at blank lines.
func TestBlocksDoNotMatter(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		lines := rapid.SliceOf(rapid.SampledFrom([]string{"A: 1", "B: two", "", "", " ", "C:", "# c"})).Draw(rt, "lines")
		in := strings.Join(lines, "\n") + "\n"
		var want []string
		var current []string
		flush := func() {
			if len(current) > 0 {
				want = append(want, strings.Join(current, ";"))
			}
			current = nil
		}
		for _, l := range lines {
			if strings.TrimSpace(l) == "" {
				flush()
			} else if l[0] != '#' {
				k, v, _ := strings.Cut(l, ":")
				current = append(current, k+"="+strings.TrimPrefix(v, " "))
			}
		}
		flush()
		size := rapid.IntRange(1, 30).Draw(rt, "size")
		var got []string
		s := recordScanner{fn: func(fields []recordField, _ int64) error {
			var rec []string
			for _, f := range fields {
				rec = append(rec, fmt.Sprintf("%s=%s", f.Key, f.Value))
			}
			got = append(got, strings.Join(rec, ";"))
			return nil
		}}
		line := int64(1)
		for len(in) > 0 { // blocks of whole lines
			n := min(size, len(in))
			n += strings.IndexByte(in[n-1:], '\n')
			block := []byte(in[:n])
			if err := s.block(block, line); err != nil {
				rt.Fatal(err)
			}
			for i := range block {
				block[i] = 'x' // the reader uses its memory again
			}
			line += int64(strings.Count(in[:n], "\n"))
			in = in[n:]
		}
		if err := s.parse(s.carry, s.carryLine); err != nil {
			rt.Fatal(err)
		}
		if err := s.end(); err != nil {
			rt.Fatal(err)
		}
		if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
			rt.Fatalf("got %q, want %q", got, want)
		}
	})
}

func TestTruncatedFileDropsTheCutRecord(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	for i := range 3000 {
		fmt.Fprintf(z, "Name: task %d\nStart: %d\nEnd: %d\n\n", i, i*7919%1000, i*104729%1000)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := text.New(bytes.NewReader(b.Bytes()[:b.Len()/2]), "x")
	if err != nil {
		t.Fatal(err)
	}
	s := recordScanner{}
	records := 0
	err = s.scan(r, func(fields []recordField, _ int64) error {
		records++
		if len(fields) != 3 {
			t.Errorf("record %d has %d fields", records, len(fields))
		}
		return nil
	})
	var damage *text.Truncated
	if !errors.As(err, &damage) || records == 0 {
		t.Errorf("%d records, error %v", records, err)
	}
	if got := int64(records)*4 + s.Broken; got != damage.Line {
		t.Errorf("accounted for %d lines of %d", got, damage.Line)
	}
}

func FuzzScan(f *testing.F) {
	f.Add([]byte("Name: GEMM\nJobId: 1\n+ x\n\n%rec: y\n\n# c\nEndDependencies: 1\nName: z"))
	f.Fuzz(func(t *testing.T, in []byte) {
		budget.Watch(t)
		r, err := text.New(bytes.NewReader(in), "x")
		if err != nil {
			return
		}
		s := recordScanner{EndAfter: "EndDependencies"}
		lines := int64(0)
		err = s.scan(r, func(_ []recordField, n int64) error { lines += n; return nil })
		var damage *text.Truncated
		if err != nil && !errors.As(err, &damage) {
			return
		}
		if total := lines + s.Blank + s.Comments + s.Descriptors + s.Broken; total != r.Source("").Lines {
			t.Errorf("accounted for %d lines of %d", total, r.Source("").Lines)
		}
	})
}
