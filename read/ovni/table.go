package ovni

import "strings"

// action is what an event means.
type action uint8

const (
	other  action = iota // nothing that a run keeps
	begins               // OHx: a thread begins, on a CPU
	ends                 // OHe
	pauses               // OHp, and OHc: and OHw: a thread that cools down or warms up does not run
	resumes
	moves    // OAs: to a CPU
	movesOne // OAr: another thread
	newType
	newTask
	runs
	stops
	suspends
	continues
	enters // the runtime begins to do something
	leaves
)

// meaning of an event; model is whose it is.
type meaning struct {
	action action
	model  int8
	label  int16 // what the runtime does, an index of labels
}

// Models whose doings are states.
const (
	nosv = iota
	nodes
	nanos6
	models
)

// modelNames are types of states.
var modelNames = [models]string{"nOS-V subsystem", "NODES subsystem", "Nanos6 subsystem"}

// labels are what runtimes do, in the order in which they are met.
var labels []string

// meanings of events by their letters (ovni, doc/user/emulation/events.md).
var meanings = func() map[code]meaning {
	m := map[code]meaning{}
	for letters, a := range map[string]action{
		"OHx": begins, "OHe": ends, "OHp": pauses, "OHc": pauses, "OHw": pauses, "OHr": resumes, "OAs": moves, "OAr": movesOne,
	} {
		m[codeOf(letters)] = meaning{action: a}
	}
	for model, letter := range map[int8]string{nosv: "V", nanos6: "6"} {
		for letters, a := range map[string]action{"Yc": newType, "Tc": newTask, "Tx": runs, "Te": stops, "Tp": suspends, "Tr": continues} {
			m[codeOf(letter+letters)] = meaning{action: a, model: model}
		}
	}
	pair := func(model int8, enter, leave, label string) {
		m[codeOf(enter)], m[codeOf(leave)] = meaning{enters, model, int16(len(labels))}, meaning{leaves, model, int16(len(labels))}
		labels = append(labels, label)
	}
	for letter, label := range map[string]string{
		"r": "Create", "d": "Destroy", "s": "Submit", "p": "Pause", "y": "Yield", "w": "Waitfor", "c": "Scheduling point", "a": "Attach", "e": "Detach",
		"l": "Mutex lock", "t": "Mutex trylock", "u": "Mutex unlock", "b": "Barrier wait",
	} {
		pair(nosv, "VA"+letter, "VA"+string(letter[0]-'a'+'A'), "API: "+label)
	}
	pair(nosv, "VSh", "VSf", "Scheduler: Hungry")
	pair(nosv, "VS[", "VS]", "Scheduler: Serving")
	pair(nosv, "VU[", "VU]", "Scheduler: Submitting")
	pair(nosv, "VMa", "VMA", "Memory: Allocating")
	pair(nosv, "VMf", "VMF", "Memory: Freeing")
	pair(nosv, "VHw", "VHW", "Thread: Worker")
	pair(nosv, "VHd", "VHD", "Thread: Delegate")
	for letter, label := range map[string]string{
		"R": "Dependencies: Registering task accesses", "U": "Dependencies: Unregistering task accesses", "W": "If0: Waiting for an If0 task", "I": "If0: Executing an If0 task inline",
		"T": "Taskwait: Taskwait", "C": "Add Task: Creating a task", "S": "Add Task: Submitting a task", "P": "Spawn Function: Spawning a function",
	} {
		pair(nodes, "D"+letter+"[", "D"+letter+"]", label)
	}
	return m
}()

// byLetters are the meanings by the three letters of seven bits, 1 + index of
// listed: a look-up for each event has to be quick.
var byLetters, listed = func() (index []uint8, all []meaning) {
	index = make([]uint8, 1<<21)
	for c, m := range meanings {
		all = append(all, m)
		index[c.letters()] = uint8(len(all))
	}
	return index, all
}()

func (c code) letters() int { return int(c>>16&0x7f)<<14 | int(c>>8&0x7f)<<7 | int(c&0x7f) }

// meaning is what an event means.
func (c code) meaning() meaning {
	if i := byLetters[c.letters()]; i > 0 && c&0x808080 == 0 {
		return listed[i-1]
	}
	return meaning{}
}

// categories are those that ovni's models have, "" any: events of others come from
// a newer release, or are damage.
var categories = map[byte]string{
	'O': "ABCFHMU", // threads, bursts, CPUs, flushes, marks, unordered regions
	'V': "ABCHMPSTUWY",
	'D': "CIPRSTUW",
	'K': "CO",
	'6': "", 'M': "", 'P': "", 'T': "",
}

// listed reports whether ovni is known to have events like this one.
func (c code) listed() bool {
	of, known := categories[byte(c>>16)]
	return known && (of == "" || strings.IndexByte(of, byte(c>>8)) >= 0)
}

// printable reports whether the letters of an event are any.
func (c code) printable() bool {
	for _, b := range []byte{byte(c >> 16), byte(c >> 8), byte(c)} {
		if b <= ' ' || b > '~' {
			return false
		}
	}
	return true
}
