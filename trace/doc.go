// Package trace is the one model of a run of a task-based program: every
// reader, the recorder and the simulator write it, every analysis and panel
// reads it.
//
// A [Run] is a set of tables, each a struct of equally long columns (a struct
// of arrays). Rows are named by their index, a dense int32; -1 ([None]) says
// "no such row". Texts are interned per column ([Strings]), names such as
// "0_5051" or "mpicom_460" are packed into eight bytes ([Keys]). Time is int64
// nanoseconds since the run's zero, the earliest start of an application task
// that is not generation (docs/design/methods.md, Time), so that start-up has
// negative times; [NoTime] says "not known".
//
// A column that is nil is absent: the run was not traced so far, or the store
// was not asked for it. Required columns of a loaded table are never nil
// unless the table is empty.
//
// [Builder] makes a valid Run out of rows that arrive in any order;
// [Run.Validate] checks everything that readers promise. The package imports
// nothing else of dagscope.
package trace
