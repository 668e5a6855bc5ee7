package paje

import (
	"cmp"
	"fmt"

	"dagscope/internal/text"
	"dagscope/trace"
)

// Pajé does not say in which unit its times are. StarPU writes milliseconds,
// most other programs seconds; nothing in a trace tells them apart for sure, so
// that what no one said is taken as milliseconds and noted as assumed.

// defaultUnit is the unit of StarPU.
const defaultUnit = "ms"

// setUnit takes over the unit that was asked for.
func (p *parser) setUnit() error {
	unit, ok := text.UnitOf(cmp.Or(p.out.TimeUnit, defaultUnit))
	if !ok {
		return fmt.Errorf("found time unit %q, wanted ns, us, ms or s", p.out.TimeUnit)
	}
	p.unit = unit
	return nil
}

// noteUnit says in which unit the times were read, and in the log if that was
// a guess.
func (p *parser) noteUnit() {
	if p.out.Environment == nil {
		p.out.Environment = map[string]string{}
	}
	unit := cmp.Or(p.out.TimeUnit, defaultUnit)
	if p.out.TimeUnit == "" && !p.ofStarPU() {
		unit += " (assumed)"
		p.note("time-unit-assumed", "found times without a unit in a trace that is not StarPU's, took %s: say --time-unit s (or ns, us) if that is wrong", defaultUnit)
	}
	p.out.Environment["time unit of the trace"] = unit
}

// ofStarPU tells traces of StarPU by the fields that only it writes, and older
// ones by the type of container that only it has.
func (p *parser) ofStarPU() bool {
	for _, d := range p.defs {
		if d != nil && d.has(fJob) {
			return true
		}
	}
	_, ok := p.typeRows[classContainer]["Memory Node"]
	return ok
}

// time reads the time of an event.
func (p *parser) time() (int64, bool) {
	t, ok := p.unit.Nanos(p.get(fTime))
	if !ok {
		p.logf(trace.Error, "bad-time", "found time %q in event %s, wanted a decimal number", clip(p.get(fTime)), p.def.label())
	}
	return t, ok
}
