package policy

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"dagscope/predict/starpu"
)

// Place is where a task is planned to run.
type Place struct{ Worker int32 }

// Planned is the plan of offline HEFT, by task.
func Planned(p starpu.Policy) []Place {
	var places []Place
	for _, x := range p.(*heft).planned {
		places = append(places, Place{x.worker})
	}
	return places
}

// NewTimetable is that of a worker without tasks.
func NewTimetable() *timetable { return &timetable{gaps: []gap{{0, math.Inf(1)}}} }

// Insert gives a task the first time that is long enough.
func (t *timetable) Insert(ready, length float64) float64 {
	begin, _ := t.earliest(ready, length)
	t.take(begin, begin+length)
	return begin
}

// Contents are the tasks in the queues of a policy, by queue: those of workers
// first, then shared ones.
func Contents(p starpu.Policy) [][]int32 {
	var all [][]int32
	switch p := p.(type) {
	case *deque:
		for i := range p.workers {
			all = append(all, p.workers[i].tasks.all())
		}
	case *stealing:
		for i := range p.workers {
			all = append(all, p.workers[i].tasks.all())
		}
	case *central:
		all = append(make([][]int32, p.r.Workers()), p.tasks.all())
	case *modular:
		for i := range p.workers {
			all = append(all, p.workers[i].queue.tasks.all())
		}
		all = append(all, p.waiting.all())
	case *heteroprio:
		for i := range p.workers {
			all = append(all, nil)
			for _, t := range p.workers[i].tasks {
				all[i] = append(all[i], t.task)
			}
		}
		for _, b := range p.buckets {
			newest := slices.Clone(b.tasks)
			slices.Reverse(newest)
			all = append(all, newest)
		}
	case *heft:
		for i := range p.queues {
			all = append(all, nil)
			for k, ready := range p.queues[i].ready {
				if ready {
					all[i] = append(all[i], p.queues[i].tasks[k])
				}
			}
		}
	}
	return all
}

func (l *list) all() (tasks []int32) {
	if l.size == 0 {
		return nil
	}
	for i := l.head; i != none; i = l.nodes[i].next {
		tasks = append(tasks, l.nodes[i].task)
	}
	return tasks
}

func (q *queue) all() (tasks []int32) {
	for _, r := range q.rows {
		tasks = append(tasks, r.tasks[r.head:]...)
	}
	return tasks
}

// MemoryText writes a memory as StarPU does.
func MemoryText(m *Memory) string {
	if m.last != nil {
		m.last.remember()
		m.last = nil
	}
	var b strings.Builder
	b.WriteString("##################\n# Known architectures\n# number_of_archs arch_ids (CPU - 0, CUDA - 1, )\n2 0 1\n##################\n# Busy/Free proportion per architecture\n")
	fmt.Fprintf(&b, " %f %f %f %f\n# Codelets specific data\n##########\n", m.busy[0], m.free[0], m.busy[1], m.free[1])
	digit := map[bool]int{true: 1}
	for _, g := range m.groups {
		fmt.Fprintf(&b, "%s %d %d\n0.5 3 %d %f %d %d 12.5 7 1.5 9\n", "model_"+g.kind, digit[g.able[0]], digit[g.able[1]], g.released[0].count, g.share, g.count, g.ran)
		for a := range 2 {
			if g.able[a] {
				fmt.Fprintf(&b, "%f %f %d %f\n", g.released[a].mean, g.time[a].mean, g.time[a].count, g.where[a])
			}
		}
		b.WriteString("#####\n")
	}
	return b.String()
}
