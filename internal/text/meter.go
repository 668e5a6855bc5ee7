package text

import "sync"

// Meter adds up the progress of files that are read at the same time.
type Meter struct {
	mu   sync.Mutex
	done int64
	tell func(done int64)
}

// NewMeter tells the stored bytes read of all files; tell may be nil.
func NewMeter(tell func(done int64)) *Meter { return &Meter{tell: tell} }

// File returns what is to be told how far one more file is read, from one
// goroutine.
func (m *Meter) File() func(stored int64) {
	if m.tell == nil {
		return func(int64) {}
	}
	var before int64
	return func(stored int64) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.done += stored - before
		before = stored
		m.tell(m.done)
	}
}
