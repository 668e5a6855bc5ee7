package workload

import (
	"math"
	"math/rand/v2"
	"time"
)

// Shape says which graph of plain tasks to make. Every task writes a piece of
// data of its own and reads those of the tasks that it follows.
type Shape struct {
	Tasks  int // of a chain or of independent tasks
	Stages int // of fork–join, layers of a random graph
	Width  int // tasks of a stage or layer
	// Degree is how many tasks of the layer before a task of a random graph
	// follows on average; 0: 2. Each has at least one.
	Degree float64
	// Duration is the mean duration, 0 for 1 ms; Spread is the standard
	// deviation of the logarithm of durations: each task draws its own, and
	// schedulers expect the mean.
	Duration time.Duration
	Spread   float64
	Bytes    int64 // of each piece of data
	Seed     uint64
}

// shaper makes a graph of plain tasks.
type shaper struct {
	*builder
	o    Shape
	rng  *rand.Rand
	uses []use
}

// newShaper checks a shape and makes room for tasks and accesses.
func (o Shape) newShaper(name string, tasks, accesses int) (*shaper, error) {
	if o.Duration == 0 {
		o.Duration = time.Millisecond
	}
	switch {
	case o.Duration < 0 || o.Duration > 24*time.Hour:
		return nil, errorf("found a duration of %v, want up to a day", o.Duration)
	case !(o.Spread >= 0 && o.Spread <= 3):
		return nil, errorf("found a spread of %g, want 0 to 3", o.Spread)
	case o.Bytes < 0 || o.Bytes > 1<<40:
		return nil, errorf("found data of %d bytes, want 0 to %d", o.Bytes, int64(1)<<40)
	}
	b, err := newBuilder(name, tasks, accesses, false)
	if err != nil {
		return nil, err
	}
	return &shaper{builder: b, o: o, rng: rand.New(rand.NewPCG(o.Seed, 0x5ca1ab1e))}, nil
}

// kind adds a class of tasks that take the mean duration.
func (s *shaper) kind(name string) int32 {
	s.g.Classes = append(s.g.Classes, Class{Kind: name, Bytes: s.o.Bytes, Duration: int64(s.o.Duration)})
	return int32(len(s.g.Classes) - 1)
}

// add submits a task that follows others, whose numbers are those of their data.
func (s *shaper) add(class int32, stage, row int, after ...int32) int32 {
	g := &s.g
	h := int32(len(g.Bytes))
	g.Bytes, g.Home = append(g.Bytes, s.o.Bytes), append(g.Home, None)
	g.HandleX, g.HandleY = append(g.HandleX, int32(row)), append(g.HandleY, int32(stage))
	s.uses = append(s.uses[:0], write(h))
	for _, a := range after {
		s.uses = append(s.uses, read(a))
	}
	if s.o.Spread > 0 {
		g.Factor = append(g.Factor, s.draw())
	}
	return s.task(class, 0, stage, s.uses...)
}

// draw is a log-normal factor whose mean is 1.
func (s *shaper) draw() float64 {
	sigma := s.o.Spread
	return math.Exp(sigma*s.rng.NormFloat64() - sigma*sigma/2)
}

// Chain makes tasks each of which follows the one before.
func Chain(o Shape) (*Graph, error) {
	if err := positive("tasks", o.Tasks); err != nil {
		return nil, err
	}
	s, err := o.newShaper("chain", o.Tasks, 2*o.Tasks-1)
	if err != nil {
		return nil, err
	}
	kind := s.kind("TASK")
	last := s.add(kind, 0, 0)
	for i := 1; i < o.Tasks; i++ {
		last = s.add(kind, i, 0, last)
	}
	return &s.g, nil
}

// Independent makes tasks that follow no other.
func Independent(o Shape) (*Graph, error) {
	if err := positive("tasks", o.Tasks); err != nil {
		return nil, err
	}
	s, err := o.newShaper("independent", o.Tasks, o.Tasks)
	if err != nil {
		return nil, err
	}
	kind := s.kind("TASK")
	for i := range o.Tasks {
		s.add(kind, 0, i)
	}
	return &s.g, nil
}

// ForkJoin makes stages in each of which Width tasks follow a fork and a join
// follows them all; it is the fork of the next stage.
func ForkJoin(o Shape) (*Graph, error) {
	if err := o.layers(); err != nil {
		return nil, err
	}
	s, err := o.newShaper("fork-join", 1+o.Stages*(o.Width+1), 1+o.Stages*(3*o.Width+1))
	if err != nil {
		return nil, err
	}
	fork, task, join := s.kind("FORK"), s.kind("TASK"), s.kind("JOIN")
	last := s.add(fork, 0, 0)
	branches := make([]int32, o.Width)
	for stage := range o.Stages {
		for i := range branches {
			branches[i] = s.add(task, stage, i, last)
		}
		last = s.add(join, stage, 0, branches...)
	}
	return &s.g, nil
}

// Layered makes a random graph of Stages layers of Width tasks: each follows
// tasks of the layer before, drawn by the seed.
func Layered(o Shape) (*Graph, error) {
	if err := o.layers(); err != nil {
		return nil, err
	}
	if o.Degree == 0 {
		o.Degree = math.Min(2, float64(o.Width))
	}
	if !(o.Degree >= 1 && o.Degree <= float64(o.Width)) {
		return nil, errorf("found a degree of %g, want 1 to %d, the width", o.Degree, o.Width)
	}
	tasks := o.Stages * o.Width
	s, err := o.newShaper("layered", tasks, tasks*(2+int(o.Degree)))
	if err != nil {
		return nil, err
	}
	kind := s.kind("TASK")
	var after []int32
	for stage := range o.Stages {
		for row := range o.Width {
			after = s.parents(after[:0], stage)
			s.add(kind, stage, row, after...)
		}
	}
	return &s.g, nil
}

// parents draws which tasks of the layer before a task follows: one, and each
// other with the probability that gives the degree.
func (s *shaper) parents(after []int32, stage int) []int32 {
	if stage == 0 {
		return after
	}
	width, first := s.o.Width, int32((stage-1)*s.o.Width)
	sure := s.rng.IntN(width)
	after = append(after, first+int32(sure))
	if width == 1 {
		return after
	}
	// Gaps between successes are geometric: time goes with the degree.
	p := (s.o.Degree - 1) / float64(width-1)
	for at := s.gap(p); at < width-1; at += 1 + s.gap(p) {
		other := at
		if other >= sure {
			other++
		}
		after = append(after, first+int32(other))
	}
	return after
}

// gap draws the number of failures before a success of probability p.
func (s *shaper) gap(p float64) int {
	if p <= 0 {
		return math.MaxInt32
	}
	if p >= 1 {
		return 0
	}
	return int(math.Min(math.MaxInt32, math.Floor(math.Log(1-s.rng.Float64())/math.Log1p(-p))))
}

func (o Shape) layers() error {
	if err := positive("stages", o.Stages); err != nil {
		return err
	}
	if err := positive("width", o.Width); err != nil {
		return err
	}
	if o.Stages > maxRows/(o.Width+1) {
		return errorf("found %d stages of %d tasks, want at most %d tasks", o.Stages, o.Width, maxRows)
	}
	return nil
}

func positive(name string, n int) error {
	if n < 1 || n > maxRows {
		return errorf("found %s %d, want 1 to %d", name, n, maxRows)
	}
	return nil
}
