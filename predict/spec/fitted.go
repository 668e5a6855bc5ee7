package spec

import (
	"dagscope/predict/perfmodel"
	"dagscope/trace"
)

// fitted makes models of a run.
func (s *Spec) fitted(load Loader) (*perfmodel.Set, error) {
	run, err := load(s.path(s.Models.Run))
	if err != nil {
		return nil, err
	}
	return perfmodel.FitModels([]*trace.Run{run}, perfmodel.FitOptions{ByDevice: true})
}
