// Package policy has the schedulers that StarPU 1.4 comes with, as the
// simulator sees them: which worker runs which task, in which order.
package policy

import (
	"fmt"
	"slices"
	"strings"

	"dagscope/sim"
)

// Options are settings of policies. The zero value has StarPU's defaults.
type Options struct{}

// makers make the policies.
var makers = map[string]func(Options) sim.Policy{
	"eager":        func(Options) sim.Policy { return &central{} },
	"prio":         func(Options) sim.Policy { return &central{sorted: true} },
	"random":       func(Options) sim.Policy { return &random{} },
	"ws":           func(Options) sim.Policy { return &stealing{} },
	"lws":          func(Options) sim.Policy { return &stealing{} },
	"dm":           func(Options) sim.Policy { return &deque{} },
	"dmda":         func(Options) sim.Policy { return &deque{data: true} },
	"dmdap":        func(Options) sim.Policy { return &deque{data: true, sorted: true} },
	"dmdar":        func(Options) sim.Policy { return &deque{data: true, ready: true} },
	"dmdas":        func(Options) sim.Policy { return &deque{data: true, sorted: true, ready: true} },
	"dmdasd":       func(Options) sim.Policy { return &deque{data: true, sorted: true, ready: true, decision: true} },
	"heteroprio":   func(Options) sim.Policy { return &heteroprio{} },
	"modular-heft": func(Options) sim.Policy { return &modular{} },
	"heft":         func(Options) sim.Policy { return &heft{} },
}

// Names lists the policies in alphabetical order.
func Names() []string {
	names := make([]string, 0, len(makers))
	for n := range makers {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// New makes a policy for one run.
func New(name string, o Options) (sim.Policy, error) {
	make, ok := makers[name]
	if !ok {
		return nil, fmt.Errorf("make scheduler: found %q, want one of %s", name, strings.Join(Names(), ", "))
	}
	return make(o), nil
}
