package platform

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"dagscope/internal/budget"
)

// twoGPUs is a platform as StarPU writes it, of version 4 or 3.
func twoGPUs(version int) string {
	text := `<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "http://simgrid.gforge.inria.fr/simgrid/simgrid.dtd">
<platform version="4">
<config id="General"><prop id="network/TCP-gamma" value="-1"></prop></config>
<AS id="AS0" routing="Full">
<host id="MAIN" speed="1f"/>
<host id="CPU0" speed="2f"/><host id="CPU1" speed="2f"/><host id="CPU2" speed="2f"/>
<host id="CUDA0" speed="2f"><prop id="memsize" value="10485760"/><prop id="memcpy_peer" value="1"/></host>
<host id="CUDA1" speed="2f"><prop id="memsize" value="20971520"/><prop id="memcpy_peer" value="0"/></host>
<host id="OpenCL0" speed="2f"><prop id="memsize" value="10485760"/></host>
<host id="OpenCL1" speed="2f"><prop id="memsize" value="10485760"/></host>
<host id="RAM" speed="1f"/>
<link id="Host" bandwidth="4000Bps" latency="0.5s"/>
<link id="in" bandwidth="1000Bps" latency="0.25s"/>
<link id="pipe" bandwidth="500Bps" latency="0s" sharing_policy="FATPIPE"/>
<link id="split" bandwidth="2000Bps" latency="0s" sharing_policy="SPLITDUPLEX"/>
<route src="RAM" dst="CUDA0"><link_ctn id="in"/><link_ctn id="Host"/></route>
<route src="RAM" dst="CUDA1" symmetrical="NO"><link_ctn id="pipe"/><link_ctn id="pipe"/></route>
<route src="CUDA1" dst="RAM" symmetrical="NO"><link_ctn id="split" direction="UP"/></route>
<route src="RAM" dst="OpenCL0"><link_ctn id="split" direction="DOWN"/></route>
<route src="RAM" dst="OpenCL1"><link_ctn id="in"/></route>
<route src="CUDA0" dst="CUDA1"><link_ctn id="Host"/></route>
</AS>
</platform>
`
	if version == 3 {
		text = strings.NewReplacer(`speed="1f"`, `power="1"`, `speed="2f"`, `power="2"`, "Bps\"", "\"", "5s\"", "5\"", "0s\"", "0\"", `"4"`, `"3"`).Replace(text)
	}
	return text
}

const beliefs = `# to 0	to 1	to 2	to 3	to 4
0.000000	11	12	13	14	nan
21	0	22	23	24	nan
31	32	0	33	34	nan
41	42	43	0	44	nan
51	52	53	54	0	nan
nan	nan	nan	nan	nan	nan
`

// hostFiles writes the files of a host "h".
func hostFiles(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "bus"), 0o755); err != nil {
		t.Fatal(err)
	}
	for ending, text := range files {
		if err := os.WriteFile(filepath.Join(dir, "bus", "h."+ending), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestReadStarPU(t *testing.T) {
	for version, ending := range map[int]string{3: "platform.xml", 4: "platform.v4.xml"} {
		dir := hostFiles(t, map[string]string{ending: twoGPUs(version), "bandwidth": beliefs, "latency": beliefs})
		m, err := ReadStarPU(dir, "h", StarPUOptions{CPUs: -1, GPUs: -1})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := names(m), "CUDA0_0 CUDA1_0 CPU0"; got != want {
			t.Errorf("version %d: workers %s, want %s", version, got, want)
		}
		if m.Memories[1].Capacity != 9<<20 || m.Memories[2].Capacity != 18<<20 {
			t.Errorf("version %d: memories %+v", version, m.Memories)
		}
		for _, c := range []struct {
			from, to int32
			want     float64
		}{
			{0, 1, 2.75}, {1, 0, 2.75}, // symmetrical without a word
			{0, 2, 4}, // a fat pipe is not divided by being crossed twice
			{2, 0, 1},
			{1, 2, math.Inf(1)}, // only one of them copies to peers
		} {
			if got := m.Uncontended(c.from, c.to, 2000); got != c.want {
				t.Errorf("version %d: %d to %d takes %v s, want %v", version, c.from, c.to, got, c.want)
			}
		}
	}
}

// A device that CUDA leaves is OpenCL's, and rows of matrices are those of the
// devices that exist, not of those in use.
func TestOpenCLTakesWhatCUDALeaves(t *testing.T) {
	dir := hostFiles(t, map[string]string{"platform.v4.xml": twoGPUs(4), "bandwidth": beliefs, "latency": beliefs})
	m, err := ReadStarPU(dir, "h", StarPUOptions{CPUs: -1, GPUs: 1})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := names(m), "CUDA0_0 OpenCL1 CPU0"; got != want {
		t.Errorf("workers %s, want %s", got, want)
	}
	if p := m.Pair(1, 2); m.Bandwidth[p] != 24e6 || math.Abs(m.Latency[p]-24e-6) > 1e-18 {
		t.Errorf("CUDA0 to OpenCL1: %g B/s, %g s, want those of row 1 and column 4", m.Bandwidth[p], m.Latency[p])
	}
}

// Devices beyond those of the host are like the first, and take cores.
func TestMoreGPUsThanThereAre(t *testing.T) {
	dir := hostFiles(t, map[string]string{"platform.v4.xml": twoGPUs(4), "bandwidth": beliefs, "latency": beliefs})
	for gpus, want := range map[int]string{3: "CUDA0_0 CUDA1_0 CUDA2_0", 5: "CUDA0_0 CUDA1_0 CUDA2_0 CUDA3_0 CUDA4_0"} {
		m, err := ReadStarPU(dir, "h", StarPUOptions{CPUs: -1, GPUs: gpus})
		if err != nil {
			t.Fatal(err)
		}
		if got := names(m); got != want {
			t.Errorf("found workers %s, want %s: there are three cores", got, want)
		}
		if m.Uncontended(0, int32(gpus), 2000) != m.Uncontended(0, 1, 2000) || m.Workers[gpus-1].Type != 0 {
			t.Errorf("found CUDA%d unlike CUDA0", gpus-1)
		}
	}
}

func TestErrorsOfHosts(t *testing.T) {
	whole := map[string]string{"platform.v4.xml": twoGPUs(4), "bandwidth": beliefs, "latency": beliefs}
	for name, c := range map[string]struct {
		ending, old, new, want string
	}{
		"no XML":       {"platform.v4.xml", twoGPUs(4), "<a><b>", "platform.v4.xml:1: XML syntax error"},
		"no hosts":     {"platform.v4.xml", twoGPUs(4), "<a></a>", "platform.v4.xml: found no host"},
		"no RAM":       {"platform.v4.xml", `host id="RAM"`, `host id="ROM"`, "platform.v4.xml: found no host RAM"},
		"twice":        {"platform.v4.xml", `host id="CPU1"`, `host id="CPU0"`, "platform.v4.xml: found host CPU0 twice"},
		"bandwidth":    {"platform.v4.xml", "4000Bps", "-4Bps", `platform.v4.xml:13: found "-4Bps"`},
		"no bandwidth": {"platform.v4.xml", "4000Bps", "0Bps", `platform.v4.xml:13: found bandwidth "0Bps" of link Host`},
		"unit":         {"platform.v4.xml", "4000Bps", "4000mph", `platform.v4.xml:13: found unit "mph"`},
		"unknown link": {"platform.v4.xml", `<link_ctn id="in"/><`, `<link_ctn id="on"/><`, `platform.v4.xml:17: found link "on"`},
		"no route":     {"platform.v4.xml", `src="CUDA1" dst="RAM"`, `src="CUDA1" dst="ROM"`, "found no route between RAM and CUDA1"},
		"memory":       {"platform.v4.xml", "10485760", "much", `platform.v4.xml: found memsize "much" of CUDA0`},
		"matrix":       {"bandwidth", "22", "-22", `h.bandwidth:3: found "-22"`},
		"empty matrix": {"latency", beliefs, "# nothing", "h.latency: found no number"},
	} {
		files := map[string]string{}
		for ending, text := range whole {
			if ending == c.ending {
				text = strings.Replace(text, c.old, c.new, 1)
			}
			files[ending] = text
		}
		_, err := ReadStarPU(hostFiles(t, files), "h", StarPUOptions{CPUs: -1, GPUs: -1})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want …%s…", name, err, c.want)
		}
	}
	dir := hostFiles(t, whole)
	for host, want := range map[string]string{"": "want the name of one of h", "../h": "want the name of one of h", "i": "one of these hosts: h"} {
		if _, err := ReadStarPU(dir, host, StarPUOptions{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("host %q: %v, want …%s…", host, err, want)
		}
	}
	bare := strings.NewReplacer(`"CUDA0"`, `"GPU0"`, `"CUDA1"`, `"GPU1"`).Replace(twoGPUs(4))
	none := hostFiles(t, map[string]string{"platform.v4.xml": bare, "bandwidth": beliefs, "latency": beliefs})
	if _, err := ReadStarPU(none, "h", StarPUOptions{GPUs: 3}); err == nil || !strings.Contains(err.Error(), "found no CUDA device") {
		t.Errorf("three GPUs: %v", err)
	}
	if _, err := ReadStarPU(dir, "h", StarPUOptions{CPUs: 1, Disk: 1}); err == nil || !strings.Contains(err.Error(), "found no host DISK0") {
		t.Errorf("disk: %v", err)
	}
}

func TestCoresOfConfiguration(t *testing.T) {
	xml := strings.NewReplacer(`"CPU0"`, `"c0"`, `"CPU1"`, `"c1"`, `"CPU2"`, `"c2"`).Replace(twoGPUs(4))
	files := map[string]string{"platform.v4.xml": xml, "bandwidth": beliefs, "latency": beliefs, "config": "# Current configuration\n\n6 # Number of CPUs\n2 # CUDA\n"}
	m, err := ReadStarPU(hostFiles(t, files), "h", StarPUOptions{CPUs: -1, GPUs: -1})
	if err != nil || len(m.Workers) != 6 {
		t.Errorf("%v, %v; want 6 workers", m, err)
	}
	files["config"] = "# Current configuration\nsix\n"
	if _, err = ReadStarPU(hostFiles(t, files), "h", StarPUOptions{CPUs: -1, GPUs: -1}); err == nil || !strings.Contains(err.Error(), `h.config:2: found "six"`) {
		t.Errorf("error %v", err)
	}
}

func TestPlainMachine(t *testing.T) {
	m := Plain(40)
	if err := m.Validate(); err != nil || len(m.Workers) != 40 || len(m.Types()) != 1 {
		t.Errorf("%d workers of %d types, %v", len(m.Workers), len(m.Types()), err)
	}
	if err := Plain(0).Validate(); err == nil {
		t.Error("a machine without workers is valid")
	}
}

func FuzzReadStarPU(f *testing.F) {
	f.Add(twoGPUs(4), beliefs)
	f.Add(twoGPUs(3), "1 2\n3 4")
	f.Fuzz(func(t *testing.T, xml, matrix string) {
		budget.Watch(t)
		files := fstest.MapFS{"h.platform.xml": {Data: []byte(xml)}, "h.bandwidth": {Data: []byte(matrix)}, "h.latency": {Data: []byte(matrix)}}
		for _, gpus := range []int{-1, 0, 1} {
			m, err := readHost(files, "bus", "h", StarPUOptions{CPUs: -1, GPUs: gpus})
			if err != nil {
				continue
			}
			if err := m.Validate(); err != nil {
				t.Error(err)
			}
		}
	})
}
