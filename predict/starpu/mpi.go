package starpu

import (
	"errors"
	"fmt"
)

// MPI describes messages between nodes: what StarPU-MPI's threads do, and how the
// latency and bandwidth of a message follow from those of its links. The zero value has no factors, cache or priorities: start from
// DefaultMPI.
type MPI struct {
	// EagerLimit is the size in bytes from which the sender of a message waits
	// until it has been received; shorter messages end for the sender once they
	// are sent. Either way, data moves when the receiver has asked for it.
	EagerLimit  int64
	MaxRequests int   // sends of a node under way at a time, 0: no limit (STARPU_MPI_NDETACHED_SEND)
	MaxReady    int   // sends that a thread begins before it tests for completion again (STARPU_MPI_NREADY_PROCESS)
	Priorities  bool  // of ready sends, those of the highest priority go first (STARPU_MPI_PRIORITIES)
	Cooperative bool  // sends of a data handle to several nodes acquire it together (STARPU_MPI_COOP_SENDS)
	Cache       bool  // a data handle is sent to a node once, until it is written or flushed (STARPU_MPI_CACHE)
	Envelope    int64 // size in bytes of the message that announces another
	// Factors of latencies and bandwidths by size, ascending: a message has the
	// last whose Bytes it reaches; none: 1.
	Factors []Factor
	// Window bounds the rate of a transfer to Window bytes in twice its latency,
	// 0: no bound.
	Window float64
	// Weight, in bytes, divided by a link's bandwidth, adds to the penalty of
	// transfers that cross the link: of two that share a link, the one with the
	// higher penalty gets less (SimGrid's network/weight-S).
	Weight float64
	// Back is the share of a transfer's rate that its acknowledgements take on the
	// way back (SimGrid's network/crosstraffic).
	Back float64
	// Inside applies Factors, Window, Weight and Back to transfers inside nodes
	// too, as SimGrid does.
	Inside bool
}

// Factor multiplies latencies and bandwidths of transfers of at least so many
// bytes.
type Factor struct {
	Bytes              int64
	Latency, Bandwidth float64
}

// DefaultMPI is StarPU-MPI 1.4 under SimGrid 3.32's SMPI.
func DefaultMPI() MPI {
	return MPI{
		EagerLimit: 65536, MaxRequests: 10, MaxReady: 10, Priorities: true, Cooperative: true, Cache: true, Envelope: 32,
		Factors: []Factor{
			{0, 2.01467, 0.812084}, {257, 1.95341, 0.338112}, {732, 1.9503, 0.341987}, {1426, 1.61075, 0.608902}, {3484, 1.88101, 0.77493},
			{5776, 2.18796, 1.08739}, {9376, 2.59299, 0.58729}, {15424, 3.48845, 0.697866}, {65472, 11.6436, 0.940694},
		},
		Window: 4194304, Weight: 8775, Back: 0.05, Inside: true,
	}
}

// Alone is the bandwidth, in bytes per second, that a network needs so that a
// message of a size gets the one given while no other uses it.
func (m *MPI) Alone(bandwidth float64, bytes int64) float64 {
	_, factor := m.factor(bytes)
	return bandwidth / factor
}

// Fitting is the bandwidth, in bytes per second, that links of a latency, in seconds,
// need so that a transfer of a size takes so many seconds. Of transfers that hardly take
// longer than the latency, half is that.
func (m *MPI) Fitting(bytes int64, seconds, latency float64) float64 {
	l, b := m.factor(bytes)
	return float64(bytes) / max(seconds-latency*l, seconds/2) / b
}

// factor of transfers of a size.
func (m *MPI) factor(bytes int64) (latency, bandwidth float64) {
	latency, bandwidth = 1, 1
	for i := range m.Factors {
		if f := &m.Factors[i]; bytes >= f.Bytes {
			latency, bandwidth = f.Latency, f.Bandwidth
		}
	}
	return latency, bandwidth
}

func (m *MPI) check() error {
	switch {
	case m.EagerLimit < 0 || m.MaxRequests < 0 || m.Envelope < 0:
		return fmt.Errorf("found an eager limit of %d B, %d requests at a time and envelopes of %d B, want none below 0", m.EagerLimit, m.MaxRequests, m.Envelope)
	case m.MaxReady < 1:
		return fmt.Errorf("found %d ready requests in a row, want 1 at least", m.MaxReady)
	case !(m.Window >= 0) || !(m.Weight >= 0) || !(m.Back >= 0):
		return errors.New("found a window, weight or share of the way back below 0, want them from 0")
	}
	for i, f := range m.Factors {
		if !(f.Latency > 0) || !(f.Bandwidth > 0) || i > 0 && f.Bytes <= m.Factors[i-1].Bytes {
			return fmt.Errorf("found factors %g and %g from %d B, want positive ones, by growing sizes", f.Latency, f.Bandwidth, f.Bytes)
		}
	}
	return nil
}
