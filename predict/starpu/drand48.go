package starpu

// drand48 is the sequence of random numbers of the C function, which StarPU's
// schedulers use, so that equal seeds give equal runs.
type drand48 struct{ state uint64 }

const drand48Bits = 48

func newDrand48(seed int64) drand48 { return drand48{uint64(uint32(seed))<<16 | 0x330e} }

// uniform is uniform in [0, 1).
func (d *drand48) uniform() float64 {
	d.state = (d.state*0x5deece66d + 0xb) & (1<<drand48Bits - 1)
	return float64(d.state) / (1 << drand48Bits)
}
