package paje

import (
	"bytes"
	"fmt"
	"strings"
)

// field is the meaning of one column of an event definition.
type field uint8

const (
	fUnknown field = iota
	fTime
	fAlias
	fName
	fType
	fContainer
	fStartContainerType
	fEndContainerType
	fStartContainer
	fEndContainer
	fValue
	fKey
	fColor
	fSize
	fParams
	fFootprint
	fTag
	fJob
	fOrder
	fPriority
	fGFlop
	fX
	fY
	fIteration
	fSubiteration
	fNuma
	fHandle
	fInfo
	fPeer
	fMPITag
	fMPIMode
	fHandleName
	fCount
)

// fieldNames maps the field names of headers to meanings: those of StarPU and
// the synonyms found in traces of other programs.
var fieldNames = map[string]field{
	"Time": fTime, "Date": fTime, "Alias": fAlias, "Name": fName, "Type": fType, "ContainerType": fType,
	"EntityType": fType, "Container": fContainer, "StartContainerType": fStartContainerType,
	"SourceContainerType": fStartContainerType, "EndContainerType": fEndContainerType,
	"DestContainerType": fEndContainerType, "StartContainer": fStartContainer, "SourceContainer": fStartContainer,
	"EndContainer": fEndContainer, "DestContainer": fEndContainer, "Value": fValue, "Key": fKey, "Color": fColor,
	"Size": fSize, "Params": fParams, "Footprint": fFootprint, "Tag": fTag, "JobId": fJob, "SubmitOrder": fOrder,
	"Priority": fPriority, "GFlop": fGFlop, "X": fX, "Y": fY, "Iteration": fIteration, "Subiteration": fSubiteration,
	"NewType": fAlias, "NewName": fName, "NewContainer": fAlias, "NewContainerType": fType, "NewContainerName": fName,
	"NumaNodes": fNuma, "Handle": fHandle, "Info": fInfo, "Tid": fPeer, "Src": fPeer, "MPITAG": fMPITag,
	"MPIType": fMPIMode, "HName": fHandleName,
}

// anyCase is fieldNames in lower case, for headers that spell them otherwise.
var anyCase = func() map[string]field {
	m := make(map[string]field, len(fieldNames))
	for name, f := range fieldNames {
		m[strings.ToLower(name)] = f
	}
	return m
}()

// fieldOf is the meaning of a field name.
func fieldOf(name string) field {
	if f, ok := fieldNames[name]; ok {
		return f
	}
	return anyCase[strings.ToLower(name)]
}

// action is what an event does.
type action uint8

const (
	aUnknown action = iota
	aDefineContainerType
	aDefineEventType
	aDefineStateType
	aDefineVariableType
	aDefineLinkType
	aDefineEntityValue
	aCreateContainer
	aDestroyContainer
	aNewEvent
	aSetState
	aPushState
	aPopState
	aResetState
	aSetVariable
	aAddVariable
	aSubVariable
	aStartLink
	aEndLink
)

var actionNames = map[string]action{
	"PajeDefineContainerType": aDefineContainerType, "PajeDefineEventType": aDefineEventType,
	"PajeDefineStateType": aDefineStateType, "PajeDefineVariableType": aDefineVariableType,
	"PajeDefineLinkType": aDefineLinkType, "PajeDefineEntityValue": aDefineEntityValue,
	"PajeCreateContainer": aCreateContainer, "PajeDestroyContainer": aDestroyContainer, "PajeNewEvent": aNewEvent,
	"PajeSetState": aSetState, "PajePushState": aPushState, "PajePopState": aPopState, "PajeResetState": aResetState,
	"PajeSetVariable": aSetVariable, "PajeAddVariable": aAddVariable, "PajeSubVariable": aSubVariable,
	"PajeStartLink": aStartLink, "PajeEndLink": aEndLink,
}

// needed lists the fields without which an action has no meaning.
var needed = map[action][]field{
	aDefineContainerType: {fType}, aDefineEventType: {fType}, aDefineStateType: {fType}, aDefineVariableType: {fType},
	aDefineLinkType: {fType}, aDefineEntityValue: {fType}, aCreateContainer: {fTime, fType, fContainer},
	aDestroyContainer: {fTime, fName}, aNewEvent: {fTime, fType, fContainer},
	aSetState: {fTime, fType, fContainer, fValue}, aPushState: {fTime, fType, fContainer, fValue},
	aPopState: {fTime, fType, fContainer}, aResetState: {fTime, fType, fContainer},
	aSetVariable: {fTime, fType, fContainer, fValue}, aAddVariable: {fTime, fType, fContainer, fValue},
	aSubVariable: {fTime, fType, fContainer, fValue}, aStartLink: {fTime, fType, fContainer, fKey, fStartContainer},
	aEndLink: {fTime, fType, fContainer, fKey, fEndContainer},
}

// definition is one %EventDef: its columns by meaning. Two definitions may
// share a name (StarPU has three PajeSetState): events name them by id.
type definition struct {
	id     int
	name   string
	action action
	fields []field
	names  []string
	// column holds, per meaning, its position after the id, -1 if absent.
	column [fCount]int8
	lines  int64 // events of this definition
	bad    int64 // of which could not be used (they are in the log)
}

func (d *definition) has(f field) bool { return d.column[f] >= 0 }

func (d *definition) label() string { return fmt.Sprintf("%d %s", d.id, d.name) }

// maxDefinitions bounds the ids of a header, maxFields the columns of one.
const (
	maxDefinitions = 4096
	maxFields      = 64
)

// headerLine reads one line that starts with '%'.
func (p *parser) headerLine(line []byte) error {
	words := bytes.Fields(line[1:])
	if len(words) == 0 {
		return nil
	}
	switch string(words[0]) {
	case "EventDef":
		return p.beginDefinition(words[1:])
	case "EndEventDef":
		return p.endDefinition()
	}
	if p.open == nil {
		return fmt.Errorf("found a field definition %q outside of a definition, wanted it between %%EventDef and %%EndEventDef", clip(line))
	}
	if len(words) < 2 {
		return fmt.Errorf("found field definition %q, wanted a name and a type", clip(line))
	}
	return p.open.addField(string(words[0]))
}

func (p *parser) beginDefinition(words [][]byte) error {
	if len(words) < 2 {
		return fmt.Errorf("found %%EventDef with %d words, wanted a name and a number", len(words))
	}
	name, idText := string(clip(words[0])), words[1]
	id, ok := smallInt(idText)
	if !ok || id >= maxDefinitions {
		return fmt.Errorf("found event number %.20q for %s, wanted 0 to %d", idText, name, maxDefinitions-1)
	}
	d := &definition{id: id, name: name, action: actionNames[name]}
	for i := range d.column {
		d.column[i] = -1
	}
	p.open = d
	return nil
}

func (d *definition) addField(name string) error {
	if len(d.fields) >= maxFields {
		return fmt.Errorf("found more than %d fields in the definition of %s, wanted fewer", maxFields, d.label())
	}
	f := fieldOf(name)
	if f != fUnknown && d.column[f] < 0 {
		d.column[f] = int8(len(d.fields))
	}
	d.fields = append(d.fields, f)
	d.names = append(d.names, name)
	return nil
}

func (p *parser) endDefinition() error {
	d := p.open
	if d == nil {
		return fmt.Errorf("found %%EndEventDef outside of a definition, wanted %%EventDef before it")
	}
	p.open = nil
	if d.action == aDestroyContainer && !d.has(fName) { // older programs name it otherwise
		d.column[fName] = max(d.column[fContainer], d.column[fAlias])
	}
	for _, f := range needed[d.action] {
		if !d.has(f) {
			return fmt.Errorf("found definition %s with fields %v, wanted one that means %s", d.label(), d.names, nameOf(f))
		}
	}
	for len(p.defs) <= d.id {
		p.defs = append(p.defs, nil)
	}
	if p.defs[d.id] != nil {
		// Files of several ranks put one after the other repeat the header.
		if !sameFields(p.defs[d.id], d) {
			return fmt.Errorf("found a second definition of event %d with fields %v, wanted %v as in the first", d.id, d.names, p.defs[d.id].names)
		}
		return nil
	}
	p.defs[d.id] = d
	return nil
}

func sameFields(a, b *definition) bool {
	if a.name != b.name || len(a.names) != len(b.names) {
		return false
	}
	for i := range a.names {
		if a.names[i] != b.names[i] {
			return false
		}
	}
	return true
}

func nameOf(f field) string {
	for _, name := range []string{"Time", "Name", "Type", "Container", "Value", "Key", "StartContainer", "EndContainer"} {
		if fieldNames[name] == f {
			return name
		}
	}
	return "?"
}

func smallInt(b []byte) (int, bool) {
	if len(b) == 0 || len(b) > 6 {
		return 0, false
	}
	n := 0
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}
