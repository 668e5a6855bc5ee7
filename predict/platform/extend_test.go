package platform

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// portedGPUs have links of their own to a bus that they share, and one between them.
const portedGPUs = `name: two
memories:
- {name: CUDA0, kind: gpu, arch: cuda, capacity: 4GiB, peer: true}
- {name: CUDA1, kind: gpu, arch: cuda, device: 1, capacity: 4GiB, peer: true}
- {name: DISK0, kind: disk, link: {bandwidth: 1GBps}}
workers:
- {arch: cuda, memory: CUDA0}
- {arch: cuda, memory: CUDA1}
- {arch: cpu, count: 2}
links:
- {name: bus, bandwidth: 10GBps}
- {name: CUDA0 port, bandwidth: 6GBps, latency: 1us}
- {name: CUDA1 port, bandwidth: 6GBps, latency: 1us}
- {name: CUDA0-CUDA1, bandwidth: 50GBps}
- {name: CUDA1-CUDA0, bandwidth: 40GBps}
routes:
- {from: RAM, to: CUDA0, links: [bus, CUDA0 port], both: true}
- {from: RAM, to: CUDA1, links: [bus, CUDA1 port], both: true}
- {from: CUDA0, to: CUDA1, links: [CUDA0 port, CUDA0-CUDA1, CUDA1 port]}
- {from: CUDA1, to: CUDA0, links: [CUDA1 port, CUDA1-CUDA0, CUDA0 port]}
`

func parsed(t *testing.T, text string) *Machine {
	t.Helper()
	m, err := ParseYAML("m.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// ways are the links between each two memories, by their names.
func ways(m *Machine) map[string]string {
	all := make(map[string]string)
	for p, route := range m.Routes {
		var names []string
		for _, l := range route {
			names = append(names, m.Links[l].Name)
		}
		if len(names) > 0 {
			from, to := m.Memories[p/len(m.Memories)].Name, m.Memories[p%len(m.Memories)].Name
			all[from+" "+to] = strings.Join(names, ", ")
		}
	}
	return all
}

func TestAddDevices(t *testing.T) {
	old := parsed(t, portedGPUs)
	m, err := old.AddDevices(CUDA, 2)
	if err != nil {
		t.Fatal(err)
	}
	names := ""
	for _, w := range m.Workers {
		names += fmt.Sprint(w.Name, " ", m.Memories[w.Memory].Name, " ", w.Device, " ", w.Type, "; ")
	}
	if want := "CUDA0_0 CUDA0 0 0; CUDA1_0 CUDA1 1 1; CUDA2_0 CUDA2 2 0; CUDA3_0 CUDA3 3 0; CPU0 RAM 0 2; CPU1 RAM 1 2; "; names != want {
		t.Errorf("found workers %s want %s", names, want)
	}
	got := ways(m)
	for pair, want := range ways(old) {
		if got[pair] != want {
			t.Errorf("found %s on %s, want %s as before", got[pair], pair, want)
		}
	}
	for pair, want := range map[string]string{
		"RAM CUDA2":   "bus, CUDA2 port",
		"CUDA3 RAM":   "CUDA3 port, bus",
		"CUDA2 CUDA1": "CUDA2 port, CUDA2-CUDA1, CUDA1 port",
		"CUDA1 CUDA2": "CUDA1 port, CUDA1-CUDA2, CUDA2 port",
		"CUDA0 CUDA2": "CUDA0 port, CUDA0-CUDA2, CUDA2 port",
		"CUDA2 CUDA3": "CUDA2 port, CUDA2-CUDA3, CUDA3 port",
		"CUDA3 CUDA2": "CUDA3 port, CUDA3-CUDA2, CUDA2 port",
	} {
		if got[pair] != want {
			t.Errorf("found %q on %s, want %s", got[pair], pair, want)
		}
	}
	if len(got) != 2*4+4*3+2 {
		t.Errorf("found %d routes, want 22: %v", len(got), got)
	}
	names = ""
	for _, mem := range m.Memories {
		names += mem.Name + " "
	}
	if want := "RAM CUDA0 CUDA1 CUDA2 CUDA3 DISK0 "; names != want || m.Memories[4].Capacity != 4<<30 {
		t.Errorf("found memories %s, want %s", names, want)
	}
}

// What is written down of copies is read as it was.
func TestAddedDevicesYAML(t *testing.T) {
	m, err := parsed(t, portedGPUs).AddDevices(CUDA, 3)
	if err != nil {
		t.Fatal(err)
	}
	text, err := m.YAML()
	if err != nil {
		t.Fatal(err)
	}
	if back := parsed(t, string(text)); !reflect.DeepEqual(back, m) {
		t.Errorf("found another machine of\n%s", text)
	}
}

// Copies of a device that copies to no other reach each other through RAM.
func TestAddDevicesWithoutPeer(t *testing.T) {
	m := parsed(t, "memories: [{name: CUDA0, kind: gpu, arch: cuda, link: {bandwidth: 1GBps}}]\nworkers: [{arch: cuda, memory: CUDA0}]\n")
	m, err := m.AddDevices(CUDA, 1)
	if err != nil {
		t.Fatal(err)
	}
	if got := ways(m); len(got) != 4 || got["RAM CUDA1"] != "RAM-CUDA1" || got["CUDA1 RAM"] != "CUDA1-RAM" {
		t.Errorf("found routes %v", got)
	}
}

func TestAddDevicesRefuses(t *testing.T) {
	m := parsed(t, portedGPUs)
	if _, err := m.AddDevices(OpenCL, 1); err == nil || !strings.Contains(err.Error(), "no device of opencl") {
		t.Error(err)
	}
	if _, err := m.AddDevices(CUDA, 5000); err == nil || !strings.Contains(err.Error(), "found 5000 more") {
		t.Error(err)
	}
	if same, err := m.AddDevices(CUDA, 0); err != nil || len(same.Workers) != len(m.Workers) {
		t.Error(err)
	}
}
