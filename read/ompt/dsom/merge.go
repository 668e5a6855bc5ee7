package dsom

import "dagscope/read/ompt/event"

// source merges the threads' streams by time, ties by thread: a binary heap
// whose top is the stream with the next event.
type source struct {
	heap  []*stream
	sites []*sites // of each process
	of    []int32  // process of each thread
}

// before reports whether a's next event comes before b's.
func before(a, b *stream) bool {
	return a.time < b.time || a.time == b.time && a.thread < b.thread
}

// down lets the stream at i sink to its place.
func (m *source) down(i int) {
	h := m.heap
	for {
		child := 2*i + 1
		if child >= len(h) {
			return
		}
		if other := child + 1; other < len(h) && before(h[other], h[child]) {
			child = other
		}
		if !before(h[child], h[i]) {
			return
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
}

// start brings all streams to their first events.
func (m *source) start(streams []*stream) error {
	for _, s := range streams {
		more, err := s.advance()
		if err != nil {
			return err
		}
		if more {
			m.heap = append(m.heap, s)
		}
	}
	for i := len(m.heap)/2 - 1; i >= 0; i-- {
		m.down(i)
	}
	return nil
}

// Next implements event.Source.
func (m *source) Next(e *event.Event) (bool, error) {
	for len(m.heap) > 0 {
		s := m.heap[0]
		ok, err := s.decode(e)
		if err != nil {
			return false, err
		}
		if err := m.step(s); err != nil {
			return false, err
		}
		if !ok {
			continue
		}
		if t := e.Type; t == event.TaskCreate || t == event.Work || t == event.SyncBegin || t == event.SyncEnd {
			m.sites[m.of[e.Thread]].see(e)
		}
		return true, nil
	}
	return false, nil
}

// step brings the top stream to its next event and the heap back in order.
func (m *source) step(s *stream) error {
	more, err := s.advance()
	if err != nil {
		return err
	}
	if !more {
		n := len(m.heap) - 1
		m.heap[0] = m.heap[n]
		m.heap = m.heap[:n]
	}
	m.down(0)
	return nil
}
