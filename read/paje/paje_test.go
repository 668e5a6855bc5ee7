package paje

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"dagscope/internal/budget"
	"dagscope/internal/text"
	"dagscope/read/assemble"
	"dagscope/trace"
)

// header defines what the tests use, with numbers and an order of fields that
// StarPU does not use: only the header may tell.
const header = `%EventDef PajeDefineContainerType 101
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineStateType 102
% Type string
% Alias string
% Name string
%EndEventDef
%EventDef PajeDefineVariableType 103
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineEventType 104
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineLinkType 105
% Alias string
% Type string
% StartContainerType string
% EndContainerType string
% Name string
%EndEventDef
%EventDef PajeDefineEntityValue 106
% Alias string
% Type string
% Name string
% Color color
%EndEventDef
%EventDef PajeCreateContainer 7
% Time date
% Alias string
% Type string
% Container string
% Name string
%EndEventDef
%EventDef PajeDestroyContainer 8
% Time date
% Name string
% Type string
%EndEventDef
%EventDef PajeNewEvent 9
% Time date
% Type string
% Container string
% Value string
%EndEventDef
%EventDef PajeSetState 10
% Type string
% Container string
% Value string
% Time date
%EndEventDef
%EventDef PajePushState 11
% Time date
% Container string
% Type string
% Value string
%EndEventDef
%EventDef PajePopState 12
% Time date
% Container string
% Type string
%EndEventDef
%EventDef PajeSetVariable 13
% Time date
% Container string
% Type string
% Value double
%EndEventDef
%EventDef PajeAddVariable 14
% Time date
% Type string
% Container string
% Value double
%EndEventDef
%EventDef PajeStartLink 18
% Time date
% Type string
% Container string
% Value string
% StartContainer string
% Key string
%EndEventDef
%EventDef PajeEndLink 19
% Time date
% Type string
% Container string
% Value string
% EndContainer string
% Key string
%EndEventDef
%EventDef PajeSetState 20
% Time date
% Container string
% Type string
% Value string
% JobId string
% Priority string
% GFlop string
%EndEventDef
101 P 0 "Program"
101 W P "Worker"
102 P US "User State"
102 W WS "Worker State"
103 nr P "Ready"
104 ev P "program event"
105 L P W W "moved"
106 I WS Idle ".9 .1 .0"
7 0.0 p P 0 program
7 0.5 w0 W p CPU0
7 0.5 w1 W p CPU1
`

// read parses body after the header.
func read(t testing.TB, body string) *assemble.Parts {
	t.Helper()
	p, err := parse([]byte(header + body))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func parse(trace []byte) (*assemble.Parts, error) {
	r, err := text.New(bytes.NewReader(trace), "paje.trace")
	if err != nil {
		return nil, err
	}
	p := &assemble.Parts{}
	return p, Read(r, p, "paje.trace")
}

// states prints spans as "CPU0 Idle 1-2@0".
func states(p *assemble.Parts) string {
	var b strings.Builder
	for i := range p.State.Start {
		fmt.Fprintf(&b, "%s %s %d-%d@%d\n", p.Container.Name.At(int(p.State.Container[i])), p.State.Kind.At(i),
			p.State.Start[i], p.State.End[i], p.State.Depth[i])
	}
	return b.String()
}

func TestStates(t *testing.T) {
	cases := []struct{ name, body, want string }{
		{"set replaces, the last lasts to the end", "10 WS w0 I 1.0\n10 WS w0 Sleeping 2.0\n9 3.0 ev p x\n",
			"CPU0 Idle 1000000-2000000@0\nCPU0 Sleeping 2000000-3000000@0\n"},
		{"push nests, pop returns", "11 1.0 w0 WS A\n11 2.0 w0 WS B\n12 3.0 w0 WS\n12 4.0 w0 WS\n",
			"CPU0 A 1000000-4000000@0\nCPU0 B 2000000-3000000@1\n"},
		{"a comment after a pop is no field", "11 1.0 w0 WS A\n12 3.0 w0 WS # end of A\n", "CPU0 A 1000000-3000000@0\n"},
		{"destroying a container ends its states", "10 WS w0 I 1.0\n8 2.0 w0 W\n9 3.0 ev p x\n", "CPU0 Idle 1000000-2000000@0\n"},
		{"a stream that goes back in time is sorted", "10 WS w0 B 2.0\n10 WS w0 A 1.0\n10 WS w0 C 3.0\n",
			"CPU0 A 1000000-2000000@0\nCPU0 B 2000000-3000000@0\nCPU0 C 3000000-3000000@0\n"},
		{"the bare row of a task is the extended one", "10 WS w0 GEMM 1.0\n20 1.0 w0 WS GEMM 7 3 0.5\n10 WS w0 I 2.0\n",
			"CPU0 GEMM 1000000-2000000@0\nCPU0 Idle 2000000-2000000@0\n"},
		{"runs of tabs, quotes, carriage returns", "10\t\tWS   w0 \"Sub mit\"\t1.0  \r\n10 WS w0 I 2.0\n",
			"CPU0 Sub mit 1000000-2000000@0\nCPU0 Idle 2000000-2000000@0\n"},
		{"containers by name", "10 WS CPU0 I 1.0\n10 WS w0 I 2.0\n", "CPU0 Idle 1000000-2000000@0\nCPU0 Idle 2000000-2000000@0\n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := states(read(t, c.body)); got != c.want {
				t.Errorf("found\n%swanted\n%s", got, c.want)
			}
		})
	}
}

func TestExtendedFieldsComeByHeader(t *testing.T) {
	p := read(t, "20 1.0 w0 WS GEMM 0_7 18446744073709551615 0.5\n20 2.0 w0 WS GEMM 0_8 -3\n")
	e := &p.Extended
	if got := e.Job.At(0); got != "0_7" {
		t.Errorf("found job %q, wanted 0_7", got)
	}
	if e.Priority[0] != -1 || e.GFlop[0] != 0.5 || e.Priority[1] != -3 || e.GFlop[1] == e.GFlop[1] {
		t.Errorf("found priorities %v and GFlop %v, wanted -1 -3 and 0.5 NaN", e.Priority, e.GFlop)
	}
	if e.X[0] != trace.NoInt || e.Iteration[0] != -1 {
		t.Errorf("found x %d, iteration %d of a trace without them", e.X[0], e.Iteration[0])
	}
	if !p.Log.Seen(trace.Warning, "paje.trace", "short-task") {
		t.Error("the short line of job 0_8 is not in the log")
	}
}

func TestLinksPairByKeyInAnyOrder(t *testing.T) {
	p := read(t, "19 5.0 L p 42 w1 k1\n18 4.0 L p 42 w0 k1\n18 1.0 L p 7 w0 k2\n19 2.0 L p 7 w1 k2\n18 6.0 L p 7 w0 k2\n")
	l := &p.Link
	got := fmt.Sprint(l.Start, l.End, l.Bytes)
	if want := fmt.Sprint([]int64{4e6, 1e6, 6e6}, []int64{5e6, 2e6, trace.NoTime}, []int64{42, 7, 7}); got != want {
		t.Errorf("found %s, wanted %s", got, want)
	}
	if !p.Log.Seen(trace.Warning, "paje.trace", "half-link") {
		t.Error("the link without end is not in the log")
	}
}

func TestVariablesSetAndAdd(t *testing.T) {
	p := read(t, "14 1.0 nr p 2\n14 2.0 nr p 3\n13 3.0 p nr 1\n14 4.0 nr p 1\n")
	if got := fmt.Sprint(p.Sample.Value); got != "[2 5 1 2]" {
		t.Errorf("found %s, wanted [2 5 1 2]", got)
	}
	p = read(t, "13 1.0 p nr 7\n13 1.0 w0 nr 1\n14 2.0 nr p 2\n13 2.5 p nr 1\n14 3.0 nr p 2\n")
	if got := fmt.Sprint(p.Sample.Value); got != "[7 1 9 1 3]" {
		t.Errorf("found %s, wanted [7 1 9 1 3]: a variable set before the first addition counts", got)
	}
}

func TestBadLinesAreLoggedAndCounted(t *testing.T) {
	body := "10 WS w9 I 1.0\n10 XX w0 I 1.0\n10 WS w0 I abc\n10 WS w0\n99 1 2 3\nhello\n12 1.0 w0 WS\n13 1.0 p nr x\n" +
		"18 1.0 L p 7 w9 k\n7 x y z\n8 1.0 nobody W\n\n# a comment\n"
	p := read(t, body)
	l := &p.Log
	codes := map[string]int64{}
	for i, n := range l.Count {
		codes[l.Code.At(i)] += n
		if l.Position[i] == 0 && l.Code.At(i) != "pop-without-push" {
			t.Errorf("%s has no line", l.Code.At(i))
		}
	}
	want := map[string]int64{"unknown-container": 3, "unknown-type": 1, "bad-time": 2, "short-line": 1,
		"unknown-event": 2, "pop-without-push": 1, "bad-number": 1}
	want["short-line"]++ // "7 x y z" lacks its name
	want["bad-time"]--
	for code, n := range want {
		if codes[code] != n {
			t.Errorf("%s: found %d, wanted %d", code, codes[code], n)
		}
	}
	checkAccount(t, p, int64(strings.Count(header+body, "\n")))
}

// checkAccount checks that every line is accounted for once.
func checkAccount(t testing.TB, p *assemble.Parts, lines int64) {
	t.Helper()
	sum := int64(0)
	for i, n := range p.Account.Lines {
		if n < 0 {
			t.Errorf("account of %s in %s is %d", p.Account.Record.At(i), p.Account.Table.At(i), n)
		}
		sum += n
	}
	if sum != lines {
		t.Errorf("the account has %d lines, the file %d", sum, lines)
	}
}

func TestHeadersThatMakeNoSense(t *testing.T) {
	cases := []struct{ name, file, want string }{
		{"empty", "", "no %EventDef"},
		{"no definition", "10 1.0 a b c\n", "no %EventDef"},
		{"cut", "%EventDef PajeSetState 10\n% Time date\n", "inside the definition of 10 PajeSetState"},
		{"time missing", "%EventDef PajeSetState 10\n% Type string\n% Container string\n% Value string\n%EndEventDef\n", "wanted one that means Time"},
		{"number too large", "%EventDef PajeSetState 123456\n", "wanted 0 to 4095"},
		{"no number", "%EventDef PajeSetState\n", "wanted a name and a number"},
		{"field outside", "% Time date\n", "outside of a definition"},
		{"two meanings", "%EventDef A 1\n%EndEventDef\n%EventDef B 1\n%EndEventDef\n", "second definition of event 1"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := parse([]byte(c.file))
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "paje.trace") {
				t.Errorf("found error %v, wanted one with %q that names the file", err, c.want)
			}
		})
	}
}

func TestColors(t *testing.T) {
	for in, want := range map[string]string{".9 .1 .0": "#e61a00", "255.0 192.0 0.0": "#ffc000", "1.0 1.0 1.0": "#ffffff", "red": "", "1 2": "", "-1 0 0": "", "1e9 0 0": ""} {
		if got, _ := hexColor(in); got != want {
			t.Errorf("%q: found %q, wanted %q", in, got, want)
		}
	}
}

// FuzzPaje: no input panics, hangs or loses a line, and what comes out can be
// assembled or is refused with an error.
func FuzzPaje(f *testing.F) {
	f.Add([]byte(header + "10 WS w0 I 1.0\n20 1.0 w0 WS GEMM 7 3 0.5\n11 2.0 w0 WS A\n12 3.0 w0 WS\n13 1.0 p nr 1\n18 1.0 L p 7 w0 k\n19 2.0 L p 7 w1 k\n9 1.0 ev p x\n8 9.0 w0 W\n"))
	f.Add([]byte(header))
	f.Add([]byte("%EventDef PajeSetState 1\n%EndEventDef\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		budget.Watch(t)
		p, err := parse(file)
		if err != nil {
			return
		}
		lines := int64(bytes.Count(file, []byte("\n")))
		if len(file) > 0 && file[len(file)-1] != '\n' {
			lines++
		}
		checkAccount(t, p, lines)
		if _, err := assemble.Assemble(p, assemble.Options{}); err != nil {
			t.Fatalf("assemble: %v", err)
		}
	})
}
