package trace

// constructs: spans, by start, parents first.
func (v *validator) constructs() {
	c := &v.run.Construct
	v.oneOf("construct", "kind", &c.Kind, ConstructParallel, ConstructTeams, ConstructLoop, ConstructSections, ConstructSingle,
		ConstructWorkshare, ConstructDistribute, ConstructTaskloop, ConstructScope, ConstructMasked)
	for i, start := range c.Start {
		v.left("construct", i, start, c.End[i], c.Leave[i])
		if parent := c.Parent[i]; parent >= int32(i) {
			v.add("construct", "parent", i, "an earlier row, or none", parent)
		}
		if c.Team[i] < 0 {
			v.add("construct", "team", i, "no negative number", c.Team[i])
		}
		if i > 0 && start < c.Start[i-1] {
			v.add("construct", "start", i, "rows sorted by start", start, "after", c.Start[i-1])
		}
	}
	v.horizon("construct", "leave", c.Leave)
}

// left: three times in order.
func (v *validator) left(table string, row int, start, end, leave int64) {
	if start == NoTime || end < start {
		v.add(table, "end", row, "a start and an end that is not before it", end, "after start", start)
	}
	if leave < end {
		v.add(table, "leave", row, "no leaving before the end", leave, "after end", end)
	}
}

// shares: spans, one of each thread in a construct, in the order of both.
func (v *validator) shares() {
	s := &v.run.Share
	for i, start := range s.Start {
		v.left("share", i, start, s.End[i], s.Leave[i])
		if s.Chunks[i] < 0 || s.Iterations[i] < 0 {
			v.add("share", "chunks", i, "no negative numbers", s.Chunks[i], s.Iterations[i])
		}
		if i > 0 && (s.Construct[i] < s.Construct[i-1] || s.Construct[i] == s.Construct[i-1] && s.Resource[i] <= s.Resource[i-1]) {
			v.add("share", "construct", i, "rows sorted by construct and resource, no two equal", s.Construct[i], "after", s.Construct[i-1])
		}
	}
	v.horizon("share", "leave", s.Leave)
}

// chunks: spans, by share and start.
func (v *validator) chunks() {
	c := &v.run.Chunk
	for i, start := range c.Start {
		if start == NoTime || c.End[i] < start {
			v.add("chunk", "end", i, "a start and an end that is not before it", c.End[i], "after start", start)
		}
		if i > 0 && (c.Share[i] < c.Share[i-1] || c.Share[i] == c.Share[i-1] && start < c.Start[i-1]) {
			v.add("chunk", "start", i, "rows sorted by share and start", start, "after", c.Start[i-1])
		}
	}
	v.horizon("chunk", "end", c.End)
}

// mutexes: what is released was got, what was got was asked for.
func (v *validator) mutexes() {
	m := &v.run.Mutex
	v.oneOf("mutex", "kind", &m.Kind, MutexCritical, MutexAtomic, MutexOrdered, MutexLock, MutexNestedLock, MutexTest, MutexNestedTest)
	for i, request := range m.Request {
		acquire, release := m.Acquire[i], m.Release[i]
		if request == NoTime || acquire != NoTime && acquire < request {
			v.add("mutex", "acquire", i, "a request and no acquisition before it", acquire, "after request", request)
		}
		if release != NoTime && (acquire == NoTime || release < acquire) {
			v.add("mutex", "release", i, "an acquisition and no release before it", release, "after acquisition", acquire)
		}
		if m.Depth[i] < 0 {
			v.add("mutex", "depth", i, "no negative depth", m.Depth[i])
		}
		if i > 0 && (request < m.Request[i-1] || request == m.Request[i-1] && m.Resource[i] < m.Resource[i-1]) {
			v.add("mutex", "request", i, "rows sorted by request and resource", request, "after", m.Request[i-1])
		}
	}
	v.horizon("mutex", "acquire", m.Acquire)
	v.horizon("mutex", "release", m.Release)
}
