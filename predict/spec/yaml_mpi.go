package spec

import (
	"fmt"

	"dagscope/predict/starpu"
)

// MPI says how nodes exchange messages; what is not given is as StarPU-MPI has
// it.
type MPI struct {
	EagerLimit  *Bytes `yaml:"eager_limit"`
	MaxRequests *int   `yaml:"max_requests"`
	MaxReady    Number `yaml:"max_ready"`
	Priorities  *bool  `yaml:"priorities"`
	Cooperative *bool  `yaml:"cooperative"`
	Cache       *bool  `yaml:"cache"`
	Factors     *bool  `yaml:"factors"` // false: what links say is what messages get
}

// of changes the simulator's options.
func (m *MPI) of(o *starpu.MPI) error {
	if m.EagerLimit != nil {
		o.EagerLimit = int64(*m.EagerLimit)
	}
	if m.MaxRequests != nil {
		if o.MaxRequests = *m.MaxRequests; o.MaxRequests < 0 {
			return fmt.Errorf("found %d requests at a time, want 0 (no limit) or more", o.MaxRequests)
		}
	}
	if m.MaxReady > 0 {
		o.MaxReady = int(m.MaxReady)
	}
	for _, one := range []struct {
		from *bool
		to   *bool
	}{{m.Priorities, &o.Priorities}, {m.Cooperative, &o.Cooperative}, {m.Cache, &o.Cache}} {
		if one.from != nil {
			*one.to = *one.from
		}
	}
	if m.Factors != nil && !*m.Factors {
		o.Factors, o.Window, o.Weight, o.Back, o.Inside = nil, 0, 0, 0, false
	}
	return nil
}
