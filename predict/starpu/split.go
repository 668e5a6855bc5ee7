package starpu

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"dagscope/internal/parallel"
	"dagscope/predict/platform"
	"dagscope/predict/workload"
)

// view is what a node sees of a program and of the machine: its own tasks, the
// data that it owns, receives or sends, and its actions in order. Tasks and
// data are numbered per node.
type view struct {
	graph           *workload.Graph
	machine         *platform.Machine
	lengths         Durations
	actions         []action
	tasks           []int32                // of the whole program, by task
	handles         []int32                // likewise, by handle, those of early messages last
	early           map[messageKey][]int32 // handles for messages that come before they are expected, by arrival
	workers         []int32                // of the whole machine, by worker
	memory          []int32                // likewise, by memory
	simcallsCounted int                    // that the actions so far include
}

// action is something that the program does on a node: a call of StarPU-MPI.
type action struct {
	what     actionKind
	peer     int32 // of messages: the other node
	index    int32 // task, handle, or number of repetitions
	priority int32
	simcalls int32 // before it
	position int32 // in the whole program, from 1: the same for both ends of a message
}

type actionKind uint8

const (
	actionTask          actionKind = iota
	actionSend                     // data to a node
	actionReceive                  // data from a node
	actionInvalidate               // data that was received is no longer valid
	actionSeparateSends            // later sends do not join earlier ones
	actionWontUse                  // data will not be used for a while
	actionSkip                     // invalidates data that is not there, several times

	// What the runtime acquires data for besides: a message that has come before it
	// was expected, and its copy to the data that it is for.
	actionEarly
	actionCopy
)

// splitter splits a program into the actions of its nodes.
type splitter struct {
	g        *workload.Graph
	views    []*view
	cache    bool
	sent     [][]int32 // nodes that have a copy of a handle, by handle
	known    [][]int32 // nodes that have had one, likewise
	local    [][]int32 // number of a handle on a node, none; by node and handle
	simcalls int       // that all nodes make, so far
	position int32     // tasks, hints and messages so far
}

// Simcalls of StarPU-MPI: of its cache, of its counter of messages and of the
// queue in which an actor waits for a message.
const (
	cacheSimcalls      = 2
	messageSimcalls    = 6
	clearCacheSimcalls = 4 // what was sent, and what was received
)

// split creates the views of all nodes.
func split(g *workload.Graph, m *platform.Machine, d Durations, o *Options) ([]*view, error) {
	if err := checkNodes(g, m); err != nil {
		return nil, err
	}
	o.separateHandles = true
	s := &splitter{g: g, cache: o.MPI.Cache, sent: make([][]int32, len(g.Bytes)), known: make([][]int32, len(g.Bytes))}
	for range m.Nodes() {
		s.views = append(s.views, &view{})
	}
	s.program()
	s.number()
	parallel.For(len(s.views), func(k int) {
		s.graphOf(int32(k), s.views[k])
		machineOf(m, d, int32(k), s.views[k])
		if o.Decisions != nil {
			s.views[k].setNames(g, int32(k))
		}
	})
	return s.views, nil
}

func checkNodes(g *workload.Graph, m *platform.Machine) error {
	nodes := int32(m.Nodes())
	if len(g.Owner) != len(g.Bytes) || len(g.Node) != len(g.Class) {
		return fmt.Errorf("simulate: found %d nodes and a graph that is not distributed over them, want owners of data and nodes of tasks", nodes)
	}
	if g.Explicit {
		return errors.New("simulate: found a graph whose accesses order nothing, want one whose data says what several nodes exchange")
	}
	for _, of := range [][]int32{g.Owner, g.Node} {
		for _, node := range of {
			if node < 0 || node >= nodes {
				return fmt.Errorf("simulate: found data or tasks on node %d, want 0 to %d", node, nodes-1)
			}
		}
	}
	for i, to := range g.To {
		if from := g.From[i]; g.Node[from] != g.Node[to] {
			return fmt.Errorf("simulate: found task %d on node %d after task %d on node %d, want data that one sends to the other", to+1, g.Node[to], from+1, g.Node[from])
		}
	}
	return nil
}

// program goes through the whole program, as every node does.
func (s *splitter) program() {
	hints := s.g.Hints
	for t := range s.g.Class {
		for len(hints) > 0 && int(hints[0].After) <= t {
			s.flush(hints[0].Handle)
			hints = hints[1:]
		}
		s.task(int32(t))
	}
	for _, h := range hints {
		s.flush(h.Handle)
	}
}

func (s *splitter) addAction(node int32, d action) {
	v := s.views[node]
	d.simcalls, d.position = int32(s.simcalls-v.simcallsCounted), s.position
	v.simcallsCounted = s.simcalls
	v.actions = append(v.actions, d)
}

// task sends data to the node that runs a task, and what the task writes back
// to its owner.
func (s *splitter) task(t int32) {
	g, at, priority := s.g, s.g.Node[t], int32(0)
	if g.Priority != nil {
		priority = g.Priority[t]
	}
	from, to := g.AccessAt[t], g.AccessAt[t+1]
	for x := from; x < to; x++ {
		if h := g.Handle[x]; g.Mode[x]&workload.Read != 0 && g.Mode[x]&workload.Scratch == 0 && g.Owner[h] != at && !s.inCache(h, at) {
			s.message(g.Owner[h], at, h, priority)
		}
	}
	s.position++
	s.addAction(at, action{what: actionTask, index: t})
	for x := from; x < to; x++ {
		h := g.Handle[x]
		if s.cache && g.Mode[x]&workload.Write != 0 {
			s.simcalls += clearCacheSimcalls
		}
		switch {
		case g.Mode[x]&workload.Scratch != 0:
		case g.Mode[x]&workload.Write != 0:
			if g.Owner[h] != at {
				s.message(at, g.Owner[h], h, priority)
			}
			s.invalidate(h)
		case !s.cache && g.Owner[h] != at:
			s.addAction(at, action{what: actionInvalidate, index: h})
		}
	}
}

func (s *splitter) message(from, to, h, priority int32) {
	for _, n := range [...]int32{from, to} {
		if !slices.Contains(s.known[h], n) {
			s.known[h] = append(s.known[h], n)
		}
	}
	s.position++
	s.views[from].simcallsCounted -= messageSimcalls
	s.views[to].simcallsCounted -= messageSimcalls
	s.addAction(from, action{what: actionSend, peer: to, index: h, priority: priority})
	s.addAction(to, action{what: actionReceive, peer: from, index: h, priority: priority})
}

// inCache says that a node has a copy of a handle, and counts the simcalls of
// finding out.
func (s *splitter) inCache(h, node int32) bool {
	if s.cache {
		s.views[node].simcallsCounted -= cacheSimcalls
		s.views[s.g.Owner[h]].simcallsCounted -= cacheSimcalls
	}
	return s.markSent(h, node)
}

// markSent says that a node has a copy of a handle, and notes that it will have
// one.
func (s *splitter) markSent(h, node int32) bool {
	if !s.cache {
		return false
	}
	for _, n := range s.sent[h] {
		if n == node {
			return true
		}
	}
	s.sent[h] = append(s.sent[h], node)
	return false
}

// invalidate invalidates all copies of a handle that have been sent.
func (s *splitter) invalidate(h int32) {
	for _, n := range s.sent[h] {
		s.addAction(n, action{what: actionInvalidate, index: h})
	}
	s.sent[h] = s.sent[h][:0]
}

// flush is a hint: copies that have been sent will not be used any more, nor
// the owner's for a while. Every node spends time on it.
func (s *splitter) flush(h int32) {
	s.position++
	if s.cache {
		s.simcalls += cacheSimcalls
	}
	for n := range s.views {
		switch node := int32(n); {
		case node == s.g.Owner[h]:
			s.addAction(node, action{what: actionSeparateSends, index: h})
			s.addAction(node, action{what: actionWontUse, index: h})
		case slices.Contains(s.known[h], node):
			s.addAction(node, action{what: actionInvalidate, index: h})
		default:
			s.skip(node)
		}
	}
	s.sent[h] = s.sent[h][:0]
}

func (s *splitter) skip(node int32) {
	v := s.views[node]
	if n := len(v.actions); n > 0 && v.actions[n-1].what == actionSkip {
		v.actions[n-1].index++
		v.simcallsCounted = s.simcalls
		return
	}
	s.addAction(node, action{what: actionSkip, index: 1})
}

// number numbers the data of each node, in the order of the program.
func (s *splitter) number() {
	s.local = make([][]int32, len(s.views))
	parallel.For(len(s.views), func(k int) {
		v, local := s.views[k], make([]int32, len(s.g.Bytes))
		for _, d := range v.actions {
			switch d.what {
			case actionSkip:
			case actionTask:
				for x := s.g.AccessAt[d.index]; x < s.g.AccessAt[d.index+1]; x++ {
					local[s.g.Handle[x]] = 1
				}
			default:
				local[d.index] = 1
			}
		}
		for h, used := range local {
			if local[h] = none; used > 0 {
				local[h] = int32(len(v.handles))
				v.handles = append(v.handles, int32(h))
			}
		}
		s.local[k] = local
	})
}

// graphOf creates the graph of a node's tasks, and numbers its actions.
func (s *splitter) graphOf(node int32, v *view) {
	local, g := s.local[node], s.g
	v.graph = &workload.Graph{Name: g.Name, Classes: g.Classes}
	for i := range v.actions {
		d := &v.actions[i]
		switch d.what {
		case actionSkip:
		case actionTask:
			v.tasks = append(v.tasks, d.index)
			d.index = int32(len(v.tasks)) - 1
		default:
			d.index = local[d.index]
		}
	}
	s.taskColumns(v)
	s.earlyHandles(v)
	s.handleColumns(node, v)
	number := make(map[int32]int32)
	for i, to := range g.To {
		if g.Node[to] != node {
			continue
		}
		if len(number) == 0 {
			for mine, t := range v.tasks {
				number[t] = int32(mine)
			}
		}
		v.graph.From, v.graph.To = append(v.graph.From, number[g.From[i]]), append(v.graph.To, number[to])
	}
}

// setNames adds the columns of a node's graph that are for readers only, traces and
// decisions: names and coordinates. Simulations alone do without.
func (v *view) setNames(g *workload.Graph, node int32) {
	own := v.graph
	own.Key, own.Iteration = selectRows(g.Key, v.tasks), selectRows(g.Iteration, v.tasks)
	if g.Key == nil {
		own.Key = keysOf(node, len(v.tasks))
	}
	own.X, own.Y = selectRows(g.X, v.tasks), selectRows(g.Y, v.tasks)
	own.HandleX, own.HandleY = selectRows(g.HandleX, v.handles), selectRows(g.HandleY, v.handles)
	own.Names = selectRows(g.Names, v.handles)
}

// keysOf names the tasks of a node by its number, and theirs from 1.
func keysOf(node int32, tasks int) []string {
	keys, prefix := make([]string, tasks), strconv.Itoa(int(node))+"_"
	for i := range keys {
		keys[i] = prefix + strconv.Itoa(i+1)
	}
	return keys
}

func (s *splitter) taskColumns(v *view) {
	g, own := s.g, v.graph
	own.Class, own.Priority = selectRows(g.Class, v.tasks), selectRows(g.Priority, v.tasks)
	own.Duration, own.Factor = selectRows(g.Duration, v.tasks), selectRows(g.Factor, v.tasks)
	own.Sync = selectRows(g.Sync, v.tasks)
	own.Pause, own.Delay = selectRows(g.Pause, v.tasks), selectRows(g.Delay, v.tasks)
	accesses := 0
	for _, t := range v.tasks {
		accesses += int(g.AccessAt[t+1] - g.AccessAt[t])
	}
	own.Handle, own.Mode = make([]int32, 0, accesses), make([]workload.Mode, 0, accesses)
	own.AccessAt = append(make([]int32, 0, len(v.tasks)+1), 0)
	for _, t := range v.tasks {
		for x := g.AccessAt[t]; x < g.AccessAt[t+1]; x++ {
			own.Handle = append(own.Handle, s.local[g.Node[t]][g.Handle[x]])
			own.Mode = append(own.Mode, g.Mode[x])
		}
		own.AccessAt = append(own.AccessAt, int32(len(own.Handle)))
	}
}

// earlyHandles adds a handle for each message that a node receives, in case it
// comes early (struct _starpu_mpi_early_data_handle).
func (s *splitter) earlyHandles(v *view) {
	v.early = make(map[messageKey][]int32)
	own := v.handles[:len(v.handles):len(v.handles)]
	for _, d := range v.actions {
		if d.what == actionReceive {
			key := messageKey{d.peer, own[d.index]}
			v.early[key] = append(v.early[key], int32(len(v.handles)))
			v.handles = append(v.handles, own[d.index])
		}
	}
}

func (s *splitter) handleColumns(node int32, v *view) {
	g, own := s.g, v.graph
	first := len(v.handles)
	for _, all := range v.early {
		first -= len(all)
	}
	own.Bytes = selectRows(g.Bytes, v.handles)
	own.Home = make([]int32, len(v.handles))
	for i, h := range v.handles {
		switch {
		case g.Owner[h] != node || i >= first:
			own.Home[i] = none
		case g.Home != nil:
			own.Home[i] = g.Home[h]
		}
	}
}

// selectRows are the rows of a column, nil of a missing column.
func selectRows[T any](column []T, rows []int32) []T {
	if column == nil {
		return nil
	}
	out := make([]T, len(rows))
	for i, r := range rows {
		out[i] = column[r]
	}
	return out
}

// machineOf creates the machine of a node, with the durations of its workers.
func machineOf(m *platform.Machine, d Durations, node int32, v *view) {
	own := &platform.Machine{Name: m.Name}
	memory, link := make([]int32, len(m.Memories)), make(map[int32]int32)
	for i, mem := range m.Memories {
		if mem.Node == node {
			memory[i] = int32(len(own.Memories))
			mem.Node = 0
			own.Memories = append(own.Memories, mem)
			v.memory = append(v.memory, int32(i))
		}
	}
	kinds := make(map[int32]int32)
	for i, w := range m.Workers {
		if w.Node != node {
			continue
		}
		if _, known := kinds[w.Type]; !known {
			kinds[w.Type] = int32(len(kinds))
		}
		w.Node, w.Memory, w.Type = 0, memory[w.Memory], kinds[w.Type]
		own.Workers = append(own.Workers, w)
		v.workers = append(v.workers, int32(i))
	}
	for _, a := range v.memory {
		for _, b := range v.memory {
			p := m.Pair(a, b)
			var route []int32
			for _, l := range m.Routes[p] {
				if _, known := link[l]; !known {
					link[l] = int32(len(own.Links))
					own.Links = append(own.Links, m.Links[l])
				}
				route = append(route, link[l])
			}
			own.Routes = append(own.Routes, route)
			own.Bandwidth, own.Latency = append(own.Bandwidth, m.Bandwidth[p]), append(own.Latency, m.Latency[p])
		}
	}
	v.machine = own
	v.lengths = make(Durations, len(d))
	for c := range d {
		v.lengths[c] = make([]float64, len(kinds))
		for all, mine := range kinds {
			v.lengths[c][mine] = d[c][all]
		}
	}
}
