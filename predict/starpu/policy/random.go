package policy

import "dagscope/predict/starpu"

// random draws the worker of a task, in proportion to the relative speeds that
// StarPU assumes.
type random struct{ r starpu.Runtime }

func (p *random) Start(r starpu.Runtime) { p.r = r }

// Push pushes the task to the worker that is drawn.
func (p *random) Push(task int32) {
	sum, last := 0.0, int32(none)
	for w := range int32(p.r.Workers()) {
		if p.r.Can(task, w) {
			sum += p.r.Speed(w)
			last = w
		}
	}
	x, before := p.r.Random()*sum, 0.0
	for w := range int32(p.r.Workers()) {
		if !p.r.Can(task, w) {
			continue
		}
		if before += p.r.Speed(w); before >= x {
			last = w
			break
		}
	}
	p.r.PushLocal(task, last)
}

// Pop has no task: workers have them in their own queues.
func (p *random) Pop(int32) int32 { return none }
