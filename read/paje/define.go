package paje

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"dagscope/trace"
)

// classOf is the class of types that an action defines.
var classOf = map[action]int{
	aDefineContainerType: classContainer, aDefineEventType: classEvent, aDefineStateType: classState,
	aDefineVariableType: classVariable, aDefineLinkType: classLink,
}

// defineType reads one of the five definitions of types.
func (p *parser) defineType() bool {
	alias, name := p.aliasAndName()
	if len(name) == 0 {
		return p.bad("nameless-type", "found a definition of a type without name or alias")
	}
	class := classOf[p.def.action]
	row := int32(len(p.types[class]))
	if _, again := p.typeRows[class][string(alias)]; again {
		return true // the header of another rank
	}
	p.types[class] = append(p.types[class], typ{
		name: p.typeColumn(class).InternBytes(name), values: map[string]int32{},
	})
	register(p.typeRows[class], alias, name, row)
	return true
}

// typeColumn is the column whose dictionary holds the names of a class.
func (p *parser) typeColumn(class int) *trace.Strings {
	switch class {
	case classContainer:
		return &p.out.Container.Type
	case classEvent:
		return &p.out.Event.Type
	case classState:
		return &p.out.State.Type
	case classVariable:
		return &p.out.Sample.Metric
	default:
		return &p.out.Link.Type
	}
}

// aliasAndName returns both, either standing in for the other.
func (p *parser) aliasAndName() (alias, name []byte) {
	alias, name = p.get(fAlias), p.get(fName)
	if alias == nil {
		alias = name
	}
	if name == nil {
		name = alias
	}
	return alias, name
}

// register makes a row known by its alias, and by its name unless that is
// another's alias.
func register(rows map[string]int32, alias, name []byte, row int32) {
	rows[string(alias)] = row
	if _, taken := rows[string(name)]; !taken {
		rows[string(name)] = row
	}
}

// entityValue reads the name and colour of a state value.
func (p *parser) entityValue() bool {
	t, ok := p.typeRows[classState][string(p.get(fType))]
	if !ok {
		// Values of events and links have names too; only states need them.
		return true
	}
	alias, name := p.aliasAndName()
	if len(name) == 0 {
		return p.bad("nameless-value", "found a definition of a value without name or alias")
	}
	kind := p.out.State.Kind.InternBytes(name)
	state := &p.types[classState][t]
	register(state.values, alias, name, kind)
	if _, have := p.out.Colors[string(name)]; !have {
		if color, ok := hexColor(string(p.get(fColor))); ok {
			p.out.Colors[string(name)] = color
		}
	}
	return true
}

// hexColor turns ".9 .1 .0" into "#e61a00"; StarPU writes the colours of tasks
// as "255.0 192.0 0.0".
func hexColor(color string) (string, bool) {
	parts := strings.Fields(color)
	if len(parts) < 3 {
		return "", false
	}
	var rgb [3]float64
	var c [3]int
	scale := 0.0
	for i := range rgb {
		v, err := strconv.ParseFloat(parts[i], 64)
		if err != nil || !(v >= 0 && v <= 255) {
			return "", false
		}
		scale = max(scale, v)
		rgb[i] = v
	}
	if scale <= 1 {
		scale = 255
	} else {
		scale = 1
	}
	for i, v := range rgb {
		c[i] = int(v*scale + 0.5)
	}
	return fmt.Sprintf("#%02x%02x%02x", c[0], c[1], c[2]), true
}

// noParent are the names that stand for "no container" as a parent.
var noParent = map[string]bool{"0": true, "": true, "NULL": true, "null": true}

func (p *parser) create() bool {
	t, ok := p.time()
	if !ok {
		return false
	}
	class, ok := p.typeRows[classContainer][string(p.get(fType))]
	if !ok {
		return p.bad("unknown-type", "found container type %q, wanted one that was defined", clip(p.get(fType)))
	}
	parent, ok := p.containers[string(p.get(fContainer))]
	if !ok {
		parent = trace.None
		if !noParent[string(p.get(fContainer))] {
			p.warn("unknown-container", "found parent %q of a container, wanted one that was created: it becomes a root", clip(p.get(fContainer)))
		}
	}
	alias, name := p.aliasAndName()
	if len(name) == 0 {
		return p.bad("nameless-container", "found a container without name or alias")
	}
	if _, again := p.containers[string(alias)]; again {
		p.warn("repeated-container", "found container %q created again: from here on the name means the new one", clip(alias))
		delete(p.containers, string(name))
	}
	c := &p.out.Container
	row := int32(len(c.Parent))
	c.Parent = append(c.Parent, parent)
	c.Alias.AppendIndex(c.Alias.InternBytes(alias))
	c.Name.AppendIndex(c.Name.InternBytes(name))
	c.Type.AppendIndex(p.types[classContainer][class].name)
	c.Start = append(c.Start, t)
	c.End = append(c.End, trace.NoTime)
	register(p.containers, alias, name, row)
	if plain := plainRank(alias); plain != nil {
		register(p.containers, alias, plain, row)
	}
	p.out.Horizon = max(p.out.Horizon, t)
	return true
}

// plainRank is an alias with the padding of its rank taken off, nil if it has
// none: with ten ranks and more StarPU creates "00_mpict" and then calls it
// "0_mpict".
func plainRank(alias []byte) []byte {
	end := bytes.IndexByte(alias, '_')
	if end < 2 || alias[0] != '0' || len(bytes.Trim(alias[:end], "0123456789")) > 0 {
		return nil
	}
	zeros := 0
	for zeros < end-1 && alias[zeros] == '0' {
		zeros++
	}
	return alias[zeros:]
}

func (p *parser) destroy() bool {
	t, ok := p.time()
	if !ok {
		return false
	}
	row, ok := p.containers[string(p.get(fName))]
	if !ok {
		return p.bad("unknown-container", "found the end of container %q, wanted one that was created", clip(p.get(fName)))
	}
	if t < p.out.Container.Start[row] {
		return p.bad("early-end", "found the end of container %q before its creation, wanted it after: left out", clip(p.get(fName)))
	}
	p.out.Container.End[row] = t
	p.out.Horizon = max(p.out.Horizon, t)
	return true
}
