package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dagscope/cli"
	"dagscope/internal/text"
	"dagscope/read/ompt"
)

// reader is one line of the table: what reads one kind of file.
type reader struct {
	name    string
	samples []sample
	long    int // how many of its inputs have a line of 100 MB
}

// sample is a sound input: the files that a verb reads, and which of them are
// damaged.
type sample struct {
	name   string
	files  map[string][]byte // decompressed, by path below the input's directory
	damage []string          // names of those that are damaged
	source string            // what the verb is called with, below the directory; "" the directory
	verb   verb
	binary bool
	mended bool // checksums of the run directory are made right again
	states bool // a run without tasks is sound: a Pajé trace of another program
}

// verb is how the command line reads an input.
type verb int

const (
	importRun verb = iota // import SOURCE -o OUT: the run that it writes is judged
	copyRun               // strip RUN -o OUT, which reads every column of a run directory
	analyze               // sparse analyze M.mtx --json: what it prints is judged
	simulate              // simulate SPEC --json
	drawTable             // heatmap TABLE.csv
)

func (v verb) arguments(in, out string) []string {
	switch v {
	case copyRun:
		return []string{"strip", in, "-o", out}
	case analyze:
		return []string{"sparse", "analyze", in, "--json"}
	case simulate:
		return []string{"simulate", in, "--json", "--no-run"}
	case drawTable:
		return []string{"heatmap", in, "--x", "threads", "--y", "grain", "--value", "time_ns,work_ns", "-o", "-"}
	}
	return []string{"import", in, "-o", out}
}

// writesRun reports whether the verb's answer is a run directory.
func (v verb) writesRun() bool { return v == importRun || v == copyRun }

// samples are the readers with their sound inputs. references may be "".
func samples(repository, references string) ([]reader, error) {
	l := loader{repository: repository}
	tiny := l.directory("testdata/starpu/native-chol-tiny")
	machine := maps.Clone(tiny)
	machine["box.config"] = []byte("# config\n2 # cpus\n0 # cuda\n0\n")
	machine["box.bandwidth"] = []byte("# to\n0.0 1200.5\n1100.25 nan\n")
	machine["box.latency"] = []byte("# to\n0.0 1.5\n2.5 nan\n")
	machine["box.platform.xml"] = []byte(platformXML)
	machine["codelets/45/potrf.box"] = []byte(kernelModel)
	mpi := only(l.directory("testdata/starpu/nativempi-np2-n8-lws"), "tasks.rec", "comms.rec")
	sparse := l.directory("testdata/synthetic/sparse-qr")
	tables := l.directory("read/testdata/pair/csv")
	raw := l.directory("testdata/starpu/native-chol-tiny/fxt")
	older := l.directory("testdata/starpu13/native-callback/fxt")
	events := l.file("read/ompt/testdata/m04_taskwait_nested.csv.gz")
	targets := l.file("read/ompt/testdata/m15_target.csv.gz")
	small := l.directory("read/testdata/pair/paje")
	for _, name := range []string{"tasks.rec", "data.rec"} { // whose last records have no end
		small[name] = append(small[name], '\n')
	}
	in := func(name string, files map[string][]byte, damage ...string) sample {
		return sample{name: name, files: files, damage: damage}
	}
	alone := func(name, file string, content []byte) sample {
		return sample{name: name, files: map[string][]byte{file: content}, damage: []string{file}, source: file}
	}
	binary := func(s sample) sample { s.binary = true; return s }
	with := func(v verb, s sample) sample { s.verb = v; return s }
	streams := map[string][]byte{}
	for _, name := range []string{"thread.5/stream.json", "thread.5/stream.obs", "thread.6/stream.json", "thread.6/stream.obs"} {
		streams["loom.n.1/proc.5/"+name] = l.file("read/ovni/testdata/small/loom.n.1/proc.5/" + name)
	}
	paraver := func(name string, damage ...string) sample {
		s := in(name, l.directory("read/paraver/testdata/"+name), damage...)
		s.states = true // tasks are known by labels
		return s
	}
	others := alone("states of another program", "other.trace", []byte(otherPaje))
	others.states = true
	readers := []reader{
		{"Pajé", []sample{in("a trace of StarPU", only(tiny, "paje.trace"), "paje.trace"), in("two workers", small, "paje.trace"), others}, longLines},
		{"tasks.rec", []sample{in("Cholesky", tiny, "tasks.rec"), in("no trace", mpi, "tasks.rec"), in("sparse QR", sparse, "tasks.rec")}, longLines},
		{"sched_tasks.rec", []sample{in("Cholesky", tiny, "sched_tasks.rec")}, longLines},
		{"data.rec", []sample{in("Cholesky", tiny, "data.rec"), in("two workers", small, "data.rec")}, longLines},
		{"comms.rec", []sample{in("two nodes", mpi, "comms.rec")}, longLines},
		{"papi.rec", []sample{in("sparse QR", sparse, "papi.rec")}, longLines},
		{"dag.dot", []sample{in("Cholesky", tiny, "dag.dot"), in("two workers", small, "dag.dot")}, longLines},
		{"atree.dot", []sample{in("sparse QR", sparse, "atree.dot")}, longLines},
		{"kernel models of StarPU", []sample{in("one kernel", machine, "codelets/45/potrf.box")}, longLines},
		{"bandwidth, latency, config", []sample{in("one machine", machine, "box.bandwidth", "box.latency", "box.config")}, longLines},
		{"platform XML", []sample{in("one machine", machine, "box.platform.xml")}, longLines},
		{"StarVZ's CSV files", []sample{in("two workers", tables, slices.Sorted(maps.Keys(tables))...)}, longLines},
		{"raw traces (FxT)", []sample{binary(in("Cholesky", raw, slices.Sorted(maps.Keys(raw))...)), binary(in("StarPU 1.3", older, slices.Sorted(maps.Keys(older))...))}, longLines},
		{"recordings (.dsom)", []sample{binary(alone("nested tasks", "ompt.host.1.dsom", l.packed(events))), binary(alone("target tasks", "ompt.host.1.dsom", l.packed(targets)))}, longLines},
		{"OpenMP events (CSV)", []sample{alone("nested tasks", "events.csv", events), alone("target tasks", "events.csv", targets)}, longLines},
		{"tasks (CSV)", []sample{alone("sixty tasks", "tasks.csv", []byte(taskTable()))}, longLines},
		{"Paraver", []sample{paraver("nosv", "cpu.prv", "cpu.pcf", "cpu.row"), paraver("extrae", "trace.prv", "trace.pcf")}, longLines},
		{"raw streams of ovni", []sample{binary(in("two threads", streams, slices.Sorted(maps.Keys(streams))...))}, longLines},
		{"Matrix Market", []sample{with(analyze, alone("real", "m.mtx", []byte(matrix("real")))), with(analyze, alone("pattern", "m.mtx", []byte(matrix("pattern"))))}, longLines},
	}
	for _, kept := range []struct {
		name   string
		mended bool
	}{{"run directory", false}, {"run directory, checksums mended", true}} {
		r := reader{name: kept.name, long: longLines}
		for _, of := range []sample{in("Cholesky", tiny), in("two nodes", mpi)} {
			files := l.imported(of)
			s := in(of.name, files, slices.Sorted(maps.Keys(files))...)
			s.verb, s.binary, s.mended, s.source = copyRun, true, kept.mended, "run.dsr"
			r.samples = append(r.samples, below("run.dsr", s))
		}
		readers = append(readers, r)
	}
	readers = append(readers,
		reader{"specifications (YAML)", []sample{l.spec("cholesky.yaml", "tiles: 20", "tiles: 4"), l.spec("random.yaml", "stages: 30, width: 40", "stages: 5, width: 8")}, longLines},
		reader{"tables of heatmap (CSV)", []sample{with(drawTable, alone("grain", "grain.csv", l.file("docs/examples/grain.csv")))}, longLines})
	if references != "" {
		l.repository = references
		for i := range readers {
			readers[i].samples = append(readers[i].samples, l.references(readers[i].name, machine)...)
		}
	}
	return readers, l.err
}

// references are inputs that the repository has not.
func (l *loader) references(reader string, machine map[string][]byte) []sample {
	const measured = "data/starpu/perfmodels/sampling/"
	switch reader {
	case "kernel models of StarPU":
		m := maps.Clone(machine)
		m["codelets/45/chol_model_gemm.mirage"] = l.file(measured + "codelets/45/chol_model_gemm.mirage")
		return []sample{{name: "gemm of mirage", files: m, damage: []string{"codelets/45/chol_model_gemm.mirage"}}}
	case "bandwidth, latency, config", "platform XML":
		m := maps.Clone(machine)
		s := sample{name: "mirage", files: m}
		for _, kind := range []string{"bandwidth", "latency", "config", "platform.xml"} {
			delete(m, "box."+kind)
			m["mirage."+kind] = l.file(measured + "bus/mirage." + kind)
			if strings.HasSuffix(kind, ".xml") == (reader == "platform XML") {
				s.damage = append(s.damage, "mirage."+kind)
			}
		}
		return []sample{s}
	}
	return nil
}

// loader reads samples; the first error sticks.
type loader struct {
	repository string
	err        error
}

func (l *loader) fail(err error) {
	if l.err == nil && err != nil {
		l.err = fmt.Errorf("read a sample: %w", err)
	}
}

// file is what a file holds, decompressed.
func (l *loader) file(name string) []byte {
	r, err := text.Open(filepath.Join(l.repository, name))
	if err != nil {
		l.fail(err)
		return nil
	}
	defer r.Close()
	all, err := io.ReadAll(r)
	l.fail(err)
	return all
}

// directory are the files of a run, decompressed.
func (l *loader) directory(name string) map[string][]byte {
	entries, err := os.ReadDir(filepath.Join(l.repository, name))
	l.fail(err)
	all := map[string][]byte{}
	for _, e := range entries {
		switch e.Name() {
		case "README.md", "number_events.data", "worker_stats.txt":
			continue
		}
		if e.Type().IsRegular() {
			all[strings.TrimSuffix(e.Name(), ".zst")] = l.file(filepath.Join(name, e.Name()))
		}
	}
	return all
}

// packed is a recording of events.
func (l *loader) packed(events []byte) []byte {
	dir, err := os.MkdirTemp("", "conform")
	l.fail(err)
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "events.csv")
	l.fail(os.WriteFile(path, events, 0o666))
	f, err := os.Create(filepath.Join(dir, "events.dsom"))
	l.fail(err)
	defer f.Close()
	_, _, err = ompt.Pack(path, f)
	l.fail(err)
	all, err := os.ReadFile(f.Name())
	l.fail(err)
	return all
}

// imported are the files of a run directory, of which the command and paths are
// left out: they would differ from call to call.
func (l *loader) imported(s sample) map[string][]byte {
	dir, err := os.MkdirTemp("", "conform")
	l.fail(err)
	defer os.RemoveAll(dir)
	in, all := input{sample: &s}, map[string][]byte{}
	l.fail(in.write(filepath.Join(dir, "in")))
	var said bytes.Buffer
	for _, args := range [][]string{{"import", dir + "/in", "-o", dir + "/a.dsr"}, {"strip", dir + "/a.dsr", "-o", dir + "/b.dsr"}} {
		if code := cli.Main(args, nil, io.Discard, &said); code != 0 {
			l.fail(fmt.Errorf("dagscope %s: exit %d: %s", args[0], code, said.String()))
		}
	}
	entries, err := os.ReadDir(dir + "/b.dsr")
	l.fail(err)
	for _, e := range entries {
		content, err := os.ReadFile(filepath.Join(dir, "b.dsr", e.Name()))
		l.fail(err)
		all[e.Name()] = content
	}
	return all
}

// spec is a specification of the examples, made small.
func (l *loader) spec(name, old, small string) sample {
	content := bytes.Replace(l.file("docs/examples/"+name), []byte(old), []byte(small), 1)
	if !bytes.Contains(content, []byte(small)) {
		l.fail(fmt.Errorf("found no %q in %s, want it", old, name))
	}
	files := map[string][]byte{name: content, "workstation.yaml": l.file("docs/examples/workstation.yaml")}
	s := sample{name: name, files: files, damage: []string{name}, source: name, verb: simulate}
	if bytes.Contains(content, []byte("workstation.yaml")) {
		s.damage = append(s.damage, "workstation.yaml")
	}
	return s
}

// only are some of the files.
func only(all map[string][]byte, names ...string) map[string][]byte {
	some := map[string][]byte{}
	for _, name := range names {
		some[name] = all[name]
	}
	return some
}

// below moves the files of a sample into a folder.
func below(folder string, s sample) sample {
	moved := map[string][]byte{}
	for name, content := range s.files {
		moved[folder+"/"+name] = content
	}
	s.files = moved
	for i, name := range s.damage {
		s.damage[i] = folder + "/" + name
	}
	return s
}

const platformXML = `<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4">
 <zone id="AS0" routing="Full">
  <host id="MAIN" speed="1f"/>
  <host id="CPU0" speed="2f"/>
  <link id="Host" bandwidth="9430.1MBps" latency="0us"/>
  <route src="MAIN" dst="CPU0"><link_ctn id="Host"/></route>
 </zone>
</platform>
`

const kernelModel = `45
1
1
0
0
1
1
2
0 0 0 0 nan nan 0 0 0
0 0 0
0
617e5fe6 1024 0.0 18850.5 1.5 37701.0 7.1e8 2
ff82dda0 2048 0.0 9.5 0.5 19.0 180.5 2
`

// otherPaje is a trace of some program that knows no tasks.
const otherPaje = `%EventDef PajeDefineContainerType 0
%	Alias string
%	Type string
%	Name string
%EndEventDef
%EventDef PajeDefineStateType 1
%	Alias string
%	Type string
%	Name string
%EndEventDef
%EventDef PajeCreateContainer 2
%	Time date
%	Alias string
%	Type string
%	Container string
%	Name string
%EndEventDef
%EventDef PajeDestroyContainer 3
%	Time date
%	Type string
%	Name string
%EndEventDef
%EventDef PajeSetState 4
%	Time date
%	Type string
%	Container string
%	Value string
%EndEventDef
0 P 0 "Program"
0 H P "HOST"
1 S H "Host State"
2 0.0 p P 0 "program"
2 0.0 h1 H p "node-1"
2 0.0 h2 H p "node-2"
4 0.0 S h1 compute
4 0.0 S h2 wait
4 0.25 S h1 send
4 0.5 S h2 compute
4 0.75 S h1 wait
4 1.5 S h2 send
4 2.25 S h1 compute
3 3.0 H h1
3 3.0 H h2
3 3.0 P p
`

// taskTable is a run as any program can write it.
func taskTable() string {
	rows := "name,kind,worker,start_s,end_s,depends\n"
	for i := range 60 {
		rows += fmt.Sprintf("%d,k%d,w%d,%d.5,%d.25,%d\n", i, i%3, i%2, i, i+1, max(0, i-2))
	}
	return rows
}

// matrix is a band of 30 × 20 entries in the format of Matrix Market.
func matrix(field string) string {
	var entries strings.Builder
	n := 0
	for col := range 20 {
		for row := col; row < min(30, col+8); row += 2 {
			fmt.Fprintf(&entries, "%d %d", row+1, col+1)
			if field == "real" {
				fmt.Fprintf(&entries, " %d.25", row-col+1)
			}
			entries.WriteString("\n")
			n++
		}
	}
	return fmt.Sprintf("%%%%MatrixMarket matrix coordinate %s general\n%% a band\n30 20 %d\n%s", field, n, entries.String())
}
