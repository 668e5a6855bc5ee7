package starpu

// draws is a sequence of random numbers: that of drand48, which StarPU's
// schedulers draw from, so that equal seeds give equal runs.
type draws struct{ state uint64 }

const drawBits = 48

func newDraws(seed int64) draws { return draws{uint64(uint32(seed))<<16 | 0x330e} }

// next is uniform in [0, 1).
func (d *draws) next() float64 {
	d.state = (d.state*0x5deece66d + 0xb) & (1<<drawBits - 1)
	return float64(d.state) / (1 << drawBits)
}
