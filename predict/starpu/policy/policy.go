// Package policy has the schedulers of StarPU 1.4, and offline HEFT, for the
// simulator of package starpu: which worker runs which task, in which order.
//
// Each follows StarPU's own code, down to the order of ties and the locks it
// takes, since these decide who is first among workers that ask at the same
// instant. Queues, transfers and time are the simulator's, not this package's.
package policy

import (
	"fmt"
	"slices"
	"strings"

	"dagscope/predict/starpu"
)

// Options are settings of policies. The zero value has StarPU's defaults.
type Options struct {
	// Memory is what heteroprio remembers of earlier runs, and adds this one to;
	// nil: nothing, and nothing is kept.
	Memory *Memory
}

// makers create the policies.
var makers = map[string]func(Options) starpu.Policy{
	"eager":        func(Options) starpu.Policy { return &central{} },
	"prio":         func(Options) starpu.Policy { return &central{sorted: true} },
	"random":       func(Options) starpu.Policy { return &random{} },
	"ws":           func(Options) starpu.Policy { return &stealing{} },
	"lws":          func(Options) starpu.Policy { return &stealing{} },
	"dm":           func(Options) starpu.Policy { return &deque{} },
	"dmda":         func(Options) starpu.Policy { return &deque{data: true} },
	"dmdap":        func(Options) starpu.Policy { return &deque{data: true, sorted: true} },
	"dmdar":        func(Options) starpu.Policy { return &deque{data: true, ready: true} },
	"dmdas":        func(Options) starpu.Policy { return &deque{data: true, sorted: true, ready: true} },
	"dmdasd":       func(Options) starpu.Policy { return &deque{data: true, sorted: true, ready: true, decision: true} },
	"heteroprio":   func(o Options) starpu.Policy { return &heteroprio{memory: o.Memory} },
	"modular-heft": func(Options) starpu.Policy { return &modular{} },
	"heft":         func(Options) starpu.Policy { return &heft{} },
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

// New creates a policy for one run.
func New(name string, o Options) (starpu.Policy, error) {
	maker, ok := makers[name]
	if !ok {
		return nil, fmt.Errorf("make scheduler: found %q, want one of %s", name, strings.Join(Names(), ", "))
	}
	return maker(o), nil
}
