// Command soak asks whether `dagscope serve` stays what it was at the start, however
// long and by whomever it is used: it starts the built program on small runs, drives
// it with clients that look around at random and with clients that misbehave, reads
// what the server holds meanwhile, and ends with a verdict and a page of figures.
//
// What clients do follows from the seed: each has its own random numbers. When they
// do it does not, since the machine decides that. What is judged is in judge.go,
// what clients do in walk.go (requests) and hostile.go (misbehaviour).
//
// It does not check that answers are right: tests do that.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

func main() {
	log.SetFlags(log.Ltime)
	log.SetPrefix("soak: ")
	var s soak
	flag.StringVar(&s.program, "bin", "bin/dagscope", "dagscope to drive")
	flag.IntVar(&s.clients, "clients", 8, "clients at a time")
	flag.DurationVar(&s.duration, "duration", 30*time.Minute, "how long, unless -requests are sent before")
	flag.IntVar(&s.requests, "requests", 0, "requests to send at most, 0 for no bound")
	flag.Uint64Var(&s.seed, "seed", 1, "of what the clients do")
	output := flag.String("o", "", "write the figures to this `FILE` too (Markdown)")
	flag.Usage = func() {
		fmt.Fprintf(flag.CommandLine.Output(), "usage: soak [flags] [RUN.dsr…]\n\nWithout runs, three small ones of testdata are imported.\n\n")
		flag.PrintDefaults()
	}
	flag.Parse()
	s.runs = flag.Args()
	s.log = log.Printf
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := s.all(ctx, *output); err != nil {
		log.Fatal(err)
	}
}

// soak is what is asked for.
type soak struct {
	program  string
	runs     []string
	clients  int
	duration time.Duration
	requests int
	seed     uint64
	every    time.Duration // between readings, 0 for duration/200 but 200 ms at least
	log      func(format string, args ...any)
}

// all runs the soak, prints its figures and fails where the verdict does.
func (s *soak) all(ctx context.Context, output string) error {
	dir, err := os.MkdirTemp("", "dagscope-soak-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if len(s.runs) == 0 {
		if err := s.bundled(ctx, dir); err != nil {
			return err
		}
	}
	r, err := s.run(ctx)
	if err != nil {
		return err
	}
	r.write(os.Stdout)
	if output != "" {
		var page strings.Builder
		r.page(&page)
		if err := os.WriteFile(output, []byte(page.String()), 0o666); err != nil {
			return err
		}
	}
	if bad := r.violations(); len(bad) > 0 {
		return fmt.Errorf("found %d violations", len(bad))
	}
	return nil
}

// bundled imports runs that the repository has: simulated and native, on one node
// and on two.
func (s *soak) bundled(ctx context.Context, dir string) error {
	for _, name := range []string{"sg-mirage-n12-dmdas", "native-chol-n10-dmdas", "nativempi-np2-n8-lws"} {
		run := filepath.Join(dir, name+".dsr")
		cmd := exec.CommandContext(ctx, s.program, "import", filepath.Join("testdata/starpu", name), "-o", run)
		if text, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("import %s: %w %s", name, err, text)
		}
		s.runs = append(s.runs, run)
	}
	return nil
}

// run serves the runs, lets clients at them, and ends the server.
func (s *soak) run(ctx context.Context) (*result, error) {
	v, err := serve(ctx, s.program, s.runs)
	if err != nil {
		return nil, err
	}
	defer v.kill()
	session, err := v.warm(ctx)
	if err != nil {
		return nil, err
	}
	r := &result{soak: s, session: session, tally: newTally()}
	if r.start, err = v.settled(ctx); err != nil {
		return nil, err
	}
	r.began = time.Now()
	r.readings = append(r.readings, r.start)
	end, cancel := context.WithTimeout(ctx, s.duration)
	defer cancel()
	watched := make(chan struct{})
	go func() { r.watch(end, v, s.interval()); close(watched) }()
	s.drive(end, v, session, r.tally)
	cancel()
	<-watched
	r.lasted = time.Since(r.began)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if r.end, err = v.calmed(ctx, r.start); err != nil {
		return nil, err
	}
	r.exit, r.said = v.end()
	return r, nil
}

func (s *soak) interval() time.Duration {
	if s.every > 0 {
		return s.every
	}
	return max(200*time.Millisecond, min(2*time.Second, s.duration/200))
}
