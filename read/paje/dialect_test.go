package paje

import (
	"strings"
	"testing"

	"dagscope/internal/text"
	"dagscope/read/assemble"
	"dagscope/trace"
)

// foreign is a trace as SimGrid writes them: comments first, seconds, links in
// the root that Pajé implies.
const foreign = `#This file was generated using SimGrid-3.32.1
#[./smpirun -np 2 ./a.out]
%EventDef PajeDefineContainerType 0
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineStateType 2
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineLinkType 4
% Alias string
% Type string
% StartContainerType string
% EndContainerType string
% Name string
%EndEventDef
%EventDef PajeCreateContainer 6
% Time date
% Alias string
% Type string
% Container string
% Name string
%EndEventDef
%EventDef PajeDestroyContainer 7
% Time date
% Type string
% Name string
%EndEventDef
%EventDef PajePushState 12
% Time date
% Type string
% Container string
% Value string
%EndEventDef
%EventDef PajeStartLink 15
% Time date
% Type string
% Container string
% Value string
% StartContainer string
% Key string
%EndEventDef
%EventDef PajeEndLink 16
% Time date
% Type string
% Container string
% Value string
% EndContainer string
% Key string
%EndEventDef
0 1 0 MPI
2 2 1 MPI_STATE
4 3 0 1 1 MPI_LINK
6 0.000000000 1 1 0 rank-0
6 0.000000000 2 1 0 rank-1
12 0.000000012 2 1 computing
15 0.000000012 3 0 PTP 1 0_1_0
16 0.000000523 3 0 PTP 2 0_1_0
7 2.000000001 1 1
`

func parseIn(unit, file string) (*assemble.Parts, error) {
	r, err := text.New(strings.NewReader(file), "paje.trace")
	if err != nil {
		return nil, err
	}
	p := &assemble.Parts{TimeUnit: unit}
	return p, Read(r, p, "paje.trace")
}

func logged(p *assemble.Parts, code string) (n int64) {
	for i, c := range p.Log.Count {
		if p.Log.Code.At(i) == code {
			n += c
		}
	}
	return n
}

func TestTimeUnits(t *testing.T) {
	for unit, want := range map[string]int64{"s": 2_000_000_001, "ms": 2_000_000, "us": 2000, "ns": 2, "": 2_000_000} {
		p, err := parseIn(unit, foreign)
		if err != nil {
			t.Fatal(err)
		}
		if p.Horizon != want {
			t.Errorf("unit %q: found the end at %d ns, wanted %d", unit, p.Horizon, want)
		}
		said, assumed := unit, int64(0)
		if unit == "" {
			said, assumed = "ms (assumed)", 1
		}
		if got := p.Environment["time unit of the trace"]; got != said || logged(p, "time-unit-assumed") != assumed {
			t.Errorf("unit %q: found %q recorded and %d notes", unit, got, logged(p, "time-unit-assumed"))
		}
	}
	if _, err := parseIn("h", foreign); err == nil || !strings.Contains(err.Error(), "wanted ns, us, ms or s") {
		t.Errorf("unit h: found error %v", err)
	}
}

// TestStarPUIsInMilliseconds: nothing is assumed where only StarPU writes such
// a header, or such containers.
func TestStarPUIsInMilliseconds(t *testing.T) {
	for _, body := range []string{
		strings.ReplaceAll(foreign, "0 1 0 MPI\n", "0 1 0 MPI\n0 Mn 1 \"Memory Node\"\n"),
		strings.Replace(foreign, "0 1 0 MPI\n", "%EventDef PajeSetState 20\n% Time date\n% Type string\n% Container string\n% Value string\n% JobId string\n%EndEventDef\n0 1 0 MPI\n", 1),
	} {
		p, err := parseIn("", body)
		if err != nil {
			t.Fatal(err)
		}
		if p.Environment["time unit of the trace"] != "ms" || logged(p, "time-unit-assumed") != 0 {
			t.Errorf("found %v and %d notes", p.Environment, logged(p, "time-unit-assumed"))
		}
	}
}

func TestLinksInTheRoot(t *testing.T) {
	p, err := parseIn("s", foreign)
	if err != nil {
		t.Fatal(err)
	}
	l := &p.Link
	if len(l.Start) != 1 || l.Start[0] != 12 || l.End[0] != 523 || l.From[0] != 0 || l.To[0] != 1 || l.Container[0] != trace.None {
		t.Errorf("found links %+v", l)
	}
	if n := p.Log.Total(trace.Error) + p.Log.Total(trace.Warning); n != 0 {
		t.Errorf("found %d complaints, first %q", n, p.Log.Message.At(0))
	}
}

func TestSniff(t *testing.T) {
	for head, want := range map[string]bool{
		foreign: true, "%EventDef PajeSetState 1": true, "\n \r\n# a\r\n\t%EventDef x": true,
		"# only comments\n": false, "": false, "#\nJobId: 1\n%EventDef": false,
	} {
		if got := Sniff([]byte(head)); got != want {
			t.Errorf("%.40q: found %v, wanted %v", head, got, want)
		}
	}
}

// TestFieldNames: names of older programs and in another case mean the same.
func TestFieldNames(t *testing.T) {
	body := "1 P 0 Program\n3 S P State\n4 0 c P 0 main\n6 1 S c run\n5 2.5 c P\n"
	define := func(destroy, alias, name, time string) string {
		h := func(action, id string, fields ...string) string {
			s := "%EventDef " + action + " " + id + "\n"
			for _, f := range fields {
				s += "% " + f + " string\n"
			}
			return s + "%EndEventDef\n"
		}
		return h("PajeDefineContainerType", "1", alias, "ContainerType", name) + h("PajeDefineStateType", "3", alias, "ContainerType", name) +
			h("PajeCreateContainer", "4", time, alias, "Type", "Container", name) + h("PajeDestroyContainer", "5", time, destroy, "Type") +
			h("PajeSetState", "6", time, "Type", "Container", "Value") + body
	}
	for _, header := range []string{
		define("Name", "Alias", "Name", "Time"), define("Container", "Alias", "Name", "Date"), define("Name", "NewType", "NewName", "Time"),
		define("alias", "ALIAS", "name", "time"), define("container", "newtype", "newname", "date"),
	} {
		p, err := parseIn("ms", header)
		if err != nil {
			t.Errorf("%v of\n%s", err, header)
			continue
		}
		c, s := &p.Container, &p.State
		if c.Name.At(0) != "main" || c.Alias.At(0) != "c" || c.End[0] != 2_500_000 || len(s.Start) != 1 || s.Start[0] != 1e6 || s.End[0] != 2_500_000 || p.Log.Total(trace.Error) != 0 {
			t.Errorf("found container %q (%q) until %d, states %v to %v", c.Name.At(0), c.Alias.At(0), c.End[0], s.Start, s.End)
		}
	}
}

// TestNoEventCanBeUsed: a run without anything in it is no success.
func TestNoEventCanBeUsed(t *testing.T) {
	comma := strings.ReplaceAll(foreign, "0.0000", "0,0000")
	_, err := parseIn("", comma)
	if err == nil || !strings.Contains(err.Error(), `line 57: found time "0,000000000" in event 6 PajeCreateContainer, wanted a decimal number`) {
		t.Errorf("found error %v, wanted the first failure", err)
	}
	if _, err := parseIn("", foreign[:strings.Index(foreign, "6 0.0")]); err != nil {
		t.Errorf("definitions alone: found error %v", err)
	}
}

// TestUnfinished: spans with a job that nothing ends are distinguished.
func TestUnfinished(t *testing.T) {
	p := read(t, "20 1.0 w0 WS GEMM 7 3 0.5\n10 WS w0 I 2.0\n20 3.0 w0 WS GEMM 8 3 0.5\n9 4.0 ev p x\n")
	if len(p.Unfinished) != 1 {
		t.Fatalf("found %v, wanted one span", p.Unfinished)
	}
	row := p.Unfinished[0]
	if job := p.Extended.Job.At(int(p.State.Extended[row])); job != "8" || p.State.Start[row] != 3e6 || p.State.End[row] != 4e6 {
		t.Errorf("found job %q from %d to %d", job, p.State.Start[row], p.State.End[row])
	}
}

// TestKernelsNamedLikeAliases: "I" is the alias of Idle where no job is named,
// a kernel where one is.
func TestKernelsNamedLikeAliases(t *testing.T) {
	p := read(t, "10 WS w0 I 1.0\n10 WS w0 I 2.0\n20 2.0 w0 WS I 7 3 0.5\n10 WS w0 I 3.0\n10 WS w0 I 4.0\n")
	want := "CPU0 Idle 1000000-2000000@0\nCPU0 I 2000000-3000000@0\nCPU0 Idle 3000000-4000000@0\nCPU0 Idle 4000000-4000000@0\n"
	if got := states(p); got != want {
		t.Errorf("found\n%swanted\n%s", got, want)
	}
}
