// Command bench measures what recording costs inside OpenMP programs: CPU time
// (user and system) of small task programs without a tool, with a tool that does
// nothing and with the recorder. Runs are interleaved, so that what else the
// machine does meets all three alike, and compared within their round; figures are
// medians over the rounds.
//
// With -imbalance it records a program whose work and idleness are known, for grains
// from 0.128 to 65 µs, and prints what the breakdown makes of it.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dagscope/read/record"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("bench-ompt: ")
	var b bench
	flag.StringVar(&b.library, "lib", "bin/"+record.Library, "recorder to measure")
	flag.StringVar(&b.sources, "src", "read/record/programs", "directory of the programs")
	flag.StringVar(&b.compiler, "cc", "clang-19", "compiler whose OpenMP runtime has OMPT")
	flag.StringVar(&b.dir, "dir", os.TempDir(), "directory in which programs are built and recordings lie; its disk counts")
	flag.IntVar(&b.rounds, "rounds", 9, "rounds of each measurement")
	flag.IntVar(&b.threads, "threads", 2, "threads of the programs")
	flag.IntVar(&b.iterations, "iterations", 4000, "iterations of the load imbalance measurement")
	imbalance := flag.Bool("imbalance", false, "measure instead how well the breakdown finds a load imbalance")
	only := flag.String("only", "", "names of programs, comma separated; all if empty")
	flag.Parse()
	if *only != "" {
		b.only = strings.Split(*only, ",")
	}
	var err error
	if b.library, err = filepath.Abs(b.library); err != nil {
		log.Fatal(err)
	}
	if !*imbalance {
		err = b.all()
	} else {
		err = b.imbalance()
	}
	if err != nil {
		log.Fatal(err)
	}
}

type bench struct {
	library, sources, compiler, dir string
	rounds, threads, iterations     int
	only                            []string
}

// program is what to run; those that are fine have tasks of about a microsecond
// or less, and decide what an event costs.
type program struct {
	name string
	args []string
	fine bool
	bare bool // finer than the programs they stand for, without a cut-off: apart from the mean
}

var programs = []program{
	{"fib", []string{"26", "0"}, true, true},
	{"fib", []string{"38", "12"}, false, false},
	{"sort", []string{"4000000", "512"}, false, false},
	{"fft", []string{"20", "32"}, true, false},
	{"health", []string{"6", "400", "64"}, true, true},
	{"health", []string{"6", "100", "2048"}, false, false},
	{"sparselu", []string{"40", "32"}, false, false},
	{"strassen", []string{"1024", "64"}, false, false},
	{"nqueens", []string{"13", "4"}, false, false},
	{"jacobi", []string{"2048", "64", "60"}, false, false},
	{"uts", []string{"2000", "8", "123"}, true, false},
}

func (b *bench) all() error {
	dir, err := os.MkdirTemp(b.dir, "bench-ompt-")
	if err != nil {
		return fmt.Errorf("make a directory to work in: %w", err)
	}
	defer os.RemoveAll(dir)
	fmt.Printf("CPU time, %d threads, medians of %d rounds (quartiles)\n", b.threads, b.rounds)
	fmt.Printf("%-22s %7s  %-18s %-18s %10s %8s %9s %9s %7s\n", "program", "CPU s", "no-op", "recorder", "events",
		"M/s", "no-op ns", "rec ns", "B/event")
	var results []result
	for _, p := range programs {
		if len(b.only) > 0 && !slices.Contains(b.only, p.name) {
			continue
		}
		r, err := b.program(dir, p)
		if err != nil {
			return err
		}
		fmt.Println(r)
		results = append(results, r)
	}
	summary(results)
	return nil
}

// program measures one program in all rounds.
func (b *bench) program(dir string, p program) (result, error) {
	path, err := b.build(dir, p.name)
	if err != nil {
		return result{}, err
	}
	r := result{program: p}
	for i := range b.rounds {
		if err := b.round(path, i, &r); err != nil {
			return r, err
		}
	}
	return r, nil
}

// round runs the three variants once, each time another one first.
func (b *bench) round(path string, i int, r *result) error {
	var cpu [3]float64
	for k := range 3 {
		v := variant((i + k) % 3)
		seconds, c, err := b.run(path, r.program.args, v)
		if err != nil {
			return err
		}
		cpu[v] = seconds
		if v == recorder {
			r.count = c
		}
	}
	r.cpu = append(r.cpu, cpu)
	return nil
}
