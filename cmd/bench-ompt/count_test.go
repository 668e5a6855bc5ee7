package main

import (
	"os"
	"path/filepath"
	"testing"

	"dagscope/read/ompt/dsom"
	"dagscope/read/ompt/event"
)

// What is counted of a file is what its reader finds in it.
func TestCountRecords(t *testing.T) {
	task := event.NewID(0, 2)
	source := []event.Event{
		{Time: 1, Type: event.ThreadBegin, Kind: event.ThreadInitial, Value: 7},
		{Time: 2, Type: event.ImplicitBegin, Task: event.NewID(0, 1), Kind: event.TaskInitial, Value: 1},
		{Time: 3, Type: event.TaskCreate, Task: task, Task2: event.NewID(0, 1), Flags: event.FlagExplicit, Value: 1},
		{Time: 4, Type: event.Dependences, Task: task, Deps: []event.Dep{{Type: event.DepIn, Address: 64}, {Type: event.DepIn, Address: 72}, {Type: event.DepIn, Address: 80}}},
		{Time: 5, Type: event.Control, Value: 64, Code: 1, Name: "a mark of more than sixteen bytes"},
		{Time: 6, Type: event.TaskSchedule, Task: event.NewID(0, 1), Task2: task, Kind: event.StatusSwitch},
		{Time: 7, Type: event.TaskSchedule, Task: task, Task2: event.NewID(0, 1), Kind: event.StatusComplete},
		{Time: 8, Type: event.ThreadEnd},
	}
	path := filepath.Join(t.TempDir(), "a.dsom")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	p, err := dsom.NewPacker(f, dsom.Meta{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range source {
		if err := p.Add(&source[i]); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := p.Finish(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	checked, err := dsom.Check(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := countRecords(data); got.events != checked.Records || got.events != got.plain+1 || got.bytes%16 != 0 {
		t.Errorf("counted %+v, want %d records, one of them dependences", got, checked.Records)
	}
}
