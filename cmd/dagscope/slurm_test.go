package main

import (
	"encoding/csv"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"dagscope/internal/testenv"
)

// slurm is a cluster of one node on this machine: Slurm's own daemons, talking
// to each other over the loopback device.
type slurm struct {
	dir string
	env []string
}

// startSlurm starts the daemons, or skips the test where they are not.
func startSlurm(t *testing.T) *slurm {
	t.Helper()
	if os.Geteuid() != 0 {
		testenv.Missing(t, "root's right to start daemons", "", "run as root")
	}
	for _, name := range []string{"munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel"} {
		if _, err := exec.LookPath(name); err != nil {
			testenv.Missing(t, "Slurm", name, "apt-get install slurm-wlm munge")
		}
	}
	// Sockets have short names, and munged wants directories that others cannot
	// write to.
	dir, err := os.MkdirTemp("/var/tmp", "slurm")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	s := &slurm{dir: dir}
	s.env = append(os.Environ(), "SLURM_CONF="+s.path("slurm.conf"))
	s.configure(t)
	s.daemon(t, "munged", "--foreground", "--force", "--socket="+s.path("munge.socket"), "--key-file="+s.path("munge.key"),
		"--pid-file="+s.path("munged.pid"), "--log-file="+s.path("munged.log"), "--seed-file="+s.path("munged.seed"))
	s.daemon(t, "slurmctld", "-D", "-f", s.path("slurm.conf"))
	s.daemon(t, "slurmd", "-D", "-N", "n1", "-f", s.path("slurm.conf"))
	s.await(t)
	return s
}

func (s *slurm) path(name string) string { return filepath.Join(s.dir, name) }

func (s *slurm) configure(t *testing.T) {
	t.Helper()
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	host, _, _ = strings.Cut(host, ".")
	conf := fmt.Sprintf(`ClusterName=loop
SlurmctldHost=%[1]s(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket=%[2]s/munge.socket
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation=%[2]s/state
SlurmdSpoolDir=%[2]s/spool
SlurmctldPidFile=%[2]s/slurmctld.pid
SlurmdPidFile=%[2]s/slurmd.pid
SlurmctldPort=%[3]d
SlurmdPort=%[4]d
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
CommunicationParameters=NoInAddrAny
ReturnToService=2
SchedulerParameters=sched_interval=1,bf_interval=1
NodeName=n1 NodeHostname=%[1]s NodeAddr=127.0.0.1 CPUs=1 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
`, host, s.dir, freePort(t), freePort(t))
	for name, text := range map[string]string{"slurm.conf": conf, "munge.key": strings.Repeat("not a secret: it lives for one test ", 32)} {
		if err := os.WriteFile(s.path(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"state", "spool"} {
		if err := os.Mkdir(s.path(name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func (s *slurm) daemon(t *testing.T, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = s.env
	log, err := os.Create(s.path(name + ".out"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		ended := make(chan struct{})
		go func() { _ = cmd.Wait(); close(ended) }()
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			_ = cmd.Process.Kill()
			<-ended
		}
	})
}

// await waits until the node takes jobs.
func (s *slurm) await(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		cmd := exec.Command("sinfo", "--noheader", "--format=%T")
		cmd.Env = s.env
		if out, err := cmd.Output(); err == nil && strings.TrimSpace(string(out)) == "idle" {
			return
		}
		if time.Now().After(deadline) {
			for _, name := range []string{"munged", "slurmctld", "slurmd"} {
				text, _ := os.ReadFile(s.path(name + ".out"))
				t.Logf("%s: %s", name, text)
			}
			testenv.Missing(t, "a node of Slurm that takes jobs", "its daemons are installed", "see the daemons' output above")
		}
	}
}

func (s *slurm) run(t *testing.T, command ...string) string {
	t.Helper()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = s.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(command, " "), err, out)
	}
	return string(out)
}

// A campaign on Slurm gives the table that it gives here; one whose jobs are
// cancelled keeps what they have done and goes on.
func TestSweepOnSlurm(t *testing.T) {
	s := startSlurm(t)
	dagscope, dir := program(t), t.TempDir()
	spec := filepath.Join(dir, "spec.yaml")
	if err := os.WriteFile(spec, []byte(sweepSpec), 0o644); err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	points := []string{"--over", "workload.tiles=3..8", "--over", "scheduler=lws,eager,prio", "--over", "platform.cpus=2,0"}
	s.run(t, append([]string{dagscope, "sweep", spec, "-o", at("here")}, points...)...)
	s.run(t, append([]string{dagscope, "sweep", spec, "-o", at("slurm"), "--engine", "slurm", "--bundle", "10", "--wait", "--sbatch-args", "-t 10"}, points...)...)
	here, there := withoutSeconds(t, at("here")), withoutSeconds(t, at("slurm"))
	if !slices.EqualFunc(here, there, slices.Equal) || len(here) != 37 {
		t.Errorf("the tables differ: %d lines here, %d of Slurm's\n%v\n%v", len(here), len(there), here, there)
	}
	if jobs, _ := filepath.Glob(at("slurm/slurm/1-[0-9].out")); len(jobs) != 4 {
		t.Errorf("%d jobs simulated 36 points in bundles of 10, want 4", len(jobs))
	}
	s.cancelled(t, dagscope, spec, at("long"))
}

// cancelled submits a campaign, cancels its jobs halfway and goes on.
func (s *slurm) cancelled(t *testing.T, dagscope, spec, dir string) {
	t.Helper()
	args := []string{dagscope, "sweep", spec, "--over", "seed=1..200", "--set", "workload.tiles=24", "-o", dir, "--engine", "slurm", "--bundle", "200"}
	s.run(t, append(args, "--json")...)
	part := filepath.Join(dir, "parts", "1-0.csv")
	for deadline := time.Now().Add(time.Minute); len(lines(t, part)) < 4; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("no run ended within a minute")
		}
	}
	busy := exec.Command(args[0], args[1:]...)
	busy.Env = s.env
	if out, err := busy.CombinedOutput(); err == nil || !strings.Contains(string(out), "queued or running") {
		t.Errorf("a campaign that Slurm works on is continued: %v, %s", err, out)
	}
	s.run(t, "scancel", "--name=sweep-long")
	for deadline := time.Now().Add(time.Minute); strings.TrimSpace(s.run(t, "squeue", "--noheader")) != ""; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("jobs do not end within a minute")
		}
	}
	before := lines(t, filepath.Join(dir, "results.csv"))
	if len(before) < 4 || len(before) >= 201 {
		t.Fatalf("the merged table of cancelled jobs has %d lines, want 4 to 200", len(before))
	}
	s.run(t, dagscope, "sweep", dir, "--resume", "--engine", "slurm", "--bundle", "200", "--wait")
	after := lines(t, filepath.Join(dir, "results.csv"))
	if len(after) != 201 {
		t.Errorf("the table has %d lines, want 201", len(after))
	}
	for _, line := range before {
		if !slices.Contains(after, line) {
			t.Errorf("a run was repeated: %s", line)
		}
	}
}

// withoutSeconds is a campaign's table but for how long runs took.
func withoutSeconds(t *testing.T, dir string) [][]string {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, "results.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	k := slices.Index(all[0], "seconds")
	for i := range all {
		all[i] = slices.Delete(all[i], k, k+1)
	}
	return all
}
