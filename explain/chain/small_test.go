package chain

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// table collects rows of a table as text, to be sorted by numbers.
type table struct {
	rows []row
}

type row struct {
	key  [2]int64
	text string
}

func (t *table) add(a, b int64, format string, args ...any) {
	t.rows = append(t.rows, row{[2]int64{a, b}, fmt.Sprintf(format, args...)})
}

func (t *table) sort() {
	slices.SortStableFunc(t.rows, func(a, b row) int { return cmp.Or(cmp.Compare(a.key[0], b.key[0]), cmp.Compare(a.key[1], b.key[1])) })
}

func (t *table) write(b *strings.Builder, header string) {
	t.sort()
	fmt.Fprintf(b, "\n\ntable %s\n", header)
	for _, r := range t.rows {
		b.WriteString(r.text + "\n")
	}
}

// small is a run of two nodes whose times are few, so that many things happen
// at an instant: tasks of all modes, transfers of all kinds between two memories,
// a disk among them, messages with posted receives, a program that waits. Clocks
// disagree now and then.
func small(seed uint64) *trace.Run {
	rng := rand.New(rand.NewPCG(seed, 3))
	tick := func(n int) int64 { return 5 * int64(rng.IntN(n)) }
	const perNode = 12
	var b strings.Builder
	b.WriteString("table resource\nparent level name arch node index\n- cluster root - - -\n")
	for n := range 2 {
		at := 1 + n*perNode
		fmt.Fprintf(&b, `0 node n%d - %[1]d 0
%[2]d memory-node RAM - %[1]d 0
%[3]d memory-manager MEM0 - %[1]d 0
%[3]d worker CPU0 cpu %[1]d 0
%[3]d worker CPU1 cpu %[1]d 1
%[2]d memory-node GPU - %[1]d 1
%[4]d memory-manager MEM1 - %[1]d 1
%[4]d worker CUDA0 cuda %[1]d 2
%[2]d memory-node disk - %[1]d 2
%[5]d memory-manager MEM2 - %[1]d 2
%[2]d user-thread main - %[1]d 0
%[2]d comm mpi - %[1]d 0
`, n, at, at+1, at+5, at+8)
	}
	on := func(node, resource int) int { return 1 + node*perNode + resource }
	const handles, tasks, transfers, messages = 6, 50, 60, 12
	b.WriteString("\n\ntable handle\nkey node bytes\n")
	for h := range handles {
		fmt.Fprintf(&b, "h%d %d 40\n", h, h%2)
	}
	var task, dep, access, transfer, state table
	free := map[int]int64{}
	start, end, at := make([]int64, tasks), make([]int64, tasks), make([]int, tasks)
	submit := [2]int64{}
	for v := range tasks {
		node := rng.IntN(2)
		w := on(node, []int{3, 4, 7}[rng.IntN(3)])
		start[v], at[v] = free[w]+tick(4), node
		end[v] = start[v] + 5 + tick(8)
		free[w] = end[v]
		submit[node] = min(submit[node]+tick(4), start[v])
		task.add(int64(v), 0, "%d %c %d %d %d %d %d", v, 'A'+rng.IntN(3), w, start[v], end[v], submit[node], max(submit[node], start[v]-tick(4)))
		for u := range v {
			if (end[u] <= start[v] || rng.IntN(20) == 0) && rng.IntN(12) == 0 {
				dep.add(int64(v), int64(u), "%d %d task -", u, v)
			}
		}
		for h := range handles {
			if rng.IntN(3) == 0 {
				access.add(int64(v), int64(h), "%d %d %s 40", v, h, []string{"R", "W", "RW", "RWC"}[rng.IntN(4)])
			}
		}
	}
	memories := []int{2, 6, 9} // their managers
	for range transfers {
		node := rng.IntN(2)
		from := rng.IntN(3)
		to := (from + 1 + rng.IntN(2)) % 3
		begin := tick(80)
		transfer.add(begin, int64(len(transfer.rows)), "x %s %d %d %d %d 40 %d -", []string{"fetch", "prefetch", "task-prefetch", "idle-fetch"}[rng.IntN(4)],
			on(node, memories[from]), on(node, memories[to]), begin, begin+tick(6), rng.IntN(handles))
	}
	received := [2]int{}
	type message struct{ from, sender, receiver int }
	sent := map[int]message{} // by number among transfers
	for range messages {
		m := message{rng.IntN(2), rng.IntN(tasks), -1}
		received[1-m.from]++
		begin := tick(80)
		arrival := begin + 10 + tick(12)
		for v := range tasks { // the first that starts after it arrived
			if at[v] != m.from && start[v] >= arrival && (m.receiver < 0 || start[v] < start[m.receiver]) {
				m.receiver = v
			}
		}
		sent[len(transfer.rows)] = m
		transfer.add(begin, int64(len(transfer.rows)), "m mpi %d %d %d %d 40 %d %d", on(m.from, 11), on(1-m.from, 11), begin, arrival, rng.IntN(handles), m.sender)
	}
	transfer.sort()
	for i, r := range transfer.rows {
		if m, ok := sent[int(r.key[1])]; ok && m.receiver >= 0 {
			dep.add(int64(m.receiver), int64(m.sender), "%d %d communication %d", m.sender, m.receiver, i)
		}
	}
	for node, n := range received {
		at := int64(0)
		for range n {
			at += tick(12)
			state.add(int64(on(node, 11)), at, "%d C ReceiveSubmitted %d %d 0", on(node, 11), at, at+1)
		}
		for range 4 {
			at := tick(80)
			state.add(int64(on(node, 11)), at, "%d C Processing %d %d 0", on(node, 11), at, at+tick(12))
		}
		for at := tick(10); at < 400; at += 5 + tick(10) {
			until := at + 5 + tick(10)
			state.add(int64(on(node, 10)), at, `%d U "Waiting all tasks" %d %d 0`, on(node, 10), at, until)
			at = until
		}
		for _, m := range memories {
			for range 2 {
				at := tick(80)
				state.add(int64(on(node, m)), at, "%d M Allocating %d %d 0", on(node, m), at, at+tick(10))
			}
		}
	}
	task.write(&b, "task\nkey kind worker start end submit ready")
	dep.write(&b, "dep\nfrom to kind via")
	access.write(&b, "access\ntask handle mode bytes")
	transfer.write(&b, "transfer\nkey kind from to start end bytes handle send_task")
	state.write(&b, "state\nresource type kind start end depth")
	return tracetest.MustParse(b.String())
}

// region is a run of two threads in a parallel region: each has a task of the
// runtime's own that creates others, waits for them and meets the other thread
// at barriers. Times are few.
func region(seed uint64) *trace.Run {
	rng := rand.New(rand.NewPCG(seed, 4))
	tick := func(n int) int64 { return 5 * int64(rng.IntN(n)) }
	var task, segment, state table
	threads := []int{4, 5}
	created := 2
	var last [2]int64
	at := [2]int64{}
	for range 6 {
		meet := rng.IntN(2) == 0
		for i, w := range threads {
			begin := at[i]
			at[i] += 5 + tick(4)
			segment.add(int64(i), begin, "%d %d %d %d", i, w, begin, at[i])
			last[i] = at[i]
			from := at[i]
			for range rng.IntN(4) {
				submit := begin + tick(3)
				start := at[i] + tick(3)
				end := start + 5 + tick(5)
				parent := rng.IntN(2)
				task.add(int64(created), 0, "%d %c %d %d %d %d %d false %d", created, 'A'+rng.IntN(2), w, start, end, submit, min(start, submit+tick(3)), parent)
				segment.add(int64(created), start, "%d %d %d %d", created, w, start, end)
				at[i], created = end, created+1
			}
			at[i] += 5 + tick(2)
			if !meet {
				state.add(int64(w), from, "%d OpenMP %s %d %d 0", w, []string{"taskwait", "reduction", "lock"}[rng.IntN(3)], from, at[i])
			}
		}
		if meet {
			both := max(at[0], at[1])
			for i, w := range threads {
				state.add(int64(w), last[i], "%d OpenMP implicit-barrier %d %d 0", w, last[i], both)
				at[i] = both
			}
		}
	}
	for i, w := range threads {
		segment.add(int64(i), at[i], "%d %d %d %d", i, w, at[i], at[i]+5)
		task.add(int64(i), 0, "%d implicit %d 0 %d 0 0 true -", i, w, at[i]+5)
	}
	var b strings.Builder
	b.WriteString(machine)
	task.write(&b, "task\nkey kind worker start end submit ready internal parent")
	segment.write(&b, "segment\ntask worker start end")
	state.write(&b, "state\nresource type kind start end depth")
	return tracetest.MustParse(strings.Replace(b.String(), "\n", "", 1))
}
