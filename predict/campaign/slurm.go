package campaign

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// SlurmOptions say how a campaign is submitted.
type SlurmOptions struct {
	Program string // that jobs run: an absolute path that nodes see
	// Bundle is how many points a job of the array simulates; 0: so many that it
	// lasts Last, by the time of runs that are done or, without any, of two that
	// are simulated first, here.
	Bundle int
	Last   time.Duration
	CPUs   int      // of a job, which runs so many simulations at a time; 0 for 1
	Args   []string // further arguments of sbatch: partition, account, time limit
	Wait   bool     // return when the campaign is merged
	Probe  Options  // of the runs that are simulated first
}

// Submission is what was submitted.
type Submission struct {
	Array, Merge string // job ids
	Jobs, Bundle int
	Points       int
}

// mostJobs is how many jobs an array has at most: Slurm's usual limit
// (MaxArraySize) less one.
const mostJobs = 1000

// usualLast is how long a job should last: long beside the seconds that Slurm
// needs to start one, short beside the time limits of partitions.
const usualLast = 10 * time.Minute

// Submit has Slurm simulate what the campaign lacks: an array of jobs of which
// each simulates a share of the points, and a job that merges their tables after
// all of them, however they end.
func (c *Campaign) Submit(ctx context.Context, o SlurmOptions) (*Submission, error) {
	if _, err := exec.LookPath("sbatch"); err != nil {
		return nil, fmt.Errorf("submit campaign: found no sbatch, want Slurm's commands in PATH")
	}
	if o.Bundle <= 0 {
		if err := c.probe(ctx, o.Probe); err != nil {
			return nil, err
		}
	}
	pending := c.Pending(o.Probe.Retry)
	s := &Submission{Points: len(pending)}
	if len(pending) == 0 {
		return s, nil
	}
	s.Bundle = c.bundle(len(pending), o)
	s.Jobs = (len(pending) + s.Bundle - 1) / s.Bundle
	number, err := c.share(pending, s.Jobs)
	if err != nil {
		return nil, err
	}
	if err := c.submit(s, number, o); err != nil {
		return nil, err
	}
	c.Plan.Jobs = append(c.Plan.Jobs, s.Array, s.Merge)
	if err := c.Save(); err != nil {
		return nil, err
	}
	// The merging job needs the campaign for itself.
	if err := c.Close(); err != nil {
		return nil, fmt.Errorf("submit campaign: %w", err)
	}
	return s, c.release(ctx, s, o)
}

// probe simulates the first and the last point that is missing, unless it is
// known how long runs take.
func (c *Campaign) probe(ctx context.Context, o Options) error {
	pending := c.Pending(o.Retry)
	if !math.IsNaN(c.meanSeconds()) || len(pending) == 0 {
		return nil
	}
	if err := c.Plan.read(); err != nil {
		return err
	}
	some := pending[:1]
	if len(pending) > 1 {
		some = [][]string{pending[0], pending[len(pending)-1]}
	}
	rows, err := c.runAll(ctx, some, c.path(resultsFile), c.whole, o)
	c.Table.add(rows)
	return errors.Join(err, c.saveTable())
}

// meanSeconds is how long a run took on average, NaN if there is none.
func (c *Campaign) meanSeconds() float64 {
	sum, n := 0.0, 0
	for i := range c.Table.Rows {
		if r := &c.Table.Rows[i]; !r.Failed() {
			sum += r.Seconds
			n++
		}
	}
	return sum / float64(n)
}

// bundle is how many points a job simulates.
func (c *Campaign) bundle(points int, o SlurmOptions) int {
	last, cpus := o.Last, max(o.CPUs, 1)
	if last <= 0 {
		last = usualLast
	}
	n := float64(o.Bundle)
	if o.Bundle <= 0 {
		n = last.Seconds() / c.meanSeconds() * float64(cpus)
	}
	if !(n < float64(points)) { // NaN: nothing could be simulated
		n = float64(points)
	}
	return max(int(n), (points+mostJobs-1)/mostJobs, 1)
}

// share deals points out: a file of shares, of which job k takes the k-th. A
// share holds points from all over the campaign, so that shares take about as
// long.
func (c *Campaign) share(pending [][]string, jobs int) (number int, err error) {
	if err := os.MkdirAll(c.path(slurmDir), 0o777); err != nil {
		return 0, fmt.Errorf("submit campaign: %w", err)
	}
	if err := os.MkdirAll(c.path(partsDir), 0o777); err != nil {
		return 0, fmt.Errorf("submit campaign: %w", err)
	}
	for number = 1; ; number++ {
		if _, err := os.Stat(c.sharesFile(number)); err != nil {
			break
		}
	}
	shares := make([][][]string, jobs)
	for i, values := range pending {
		shares[i%jobs] = append(shares[i%jobs], values)
	}
	text, err := json.Marshal(shares)
	if err != nil {
		return 0, fmt.Errorf("submit campaign: %w", err)
	}
	return number, replace(c.sharesFile(number), func(w io.Writer) error { _, err := w.Write(text); return err })
}

func (c *Campaign) sharesFile(number int) string {
	return c.path(slurmDir, strconv.Itoa(number)+"-shares.json")
}

// submit submits both jobs, held until the plan knows them.
func (c *Campaign) submit(s *Submission, number int, o SlurmOptions) error {
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return fmt.Errorf("submit campaign: %w", err)
	}
	name := "sweep-" + filepath.Base(dir)
	program := quote(o.Program) + " sweep " + quote(dir)
	run := program + fmt.Sprintf(" --part %d:$SLURM_ARRAY_TASK_ID --jobs ${SLURM_CPUS_PER_TASK:-1}", number)
	log := func(what string) string {
		return filepath.Join(escapeSlurm(dir), slurmDir, fmt.Sprintf("%d-%s.out", number, what))
	}
	args := append([]string{"--parsable", "--hold", "--job-name=" + name, "--cpus-per-task=" + strconv.Itoa(max(o.CPUs, 1)),
		fmt.Sprintf("--array=0-%d", s.Jobs-1), "--output=" + log("%a")}, o.Args...)
	script := func(what string) string {
		return filepath.Join(dir, slurmDir, fmt.Sprintf("%d-%s.sh", number, what)) // a name that begins with - would be an option of sbatch
	}
	if s.Array, err = sbatch(script("run"), run, args); err != nil {
		return err
	}
	args = append(append([]string{"--parsable", "--job-name=" + name + "-merge"}, o.Args...),
		"--cpus-per-task=1", "--dependency=afterany:"+s.Array, "--output="+log("merge"))
	if s.Merge, err = sbatch(script("merge"), program+" --merge", args); err != nil {
		_ = exec.Command("scancel", s.Array).Run() // held, and nobody would merge it
	}
	return err
}

// release lets the array go, and waits for the merge if that is asked for.
func (c *Campaign) release(ctx context.Context, s *Submission, o SlurmOptions) error {
	if out, err := exec.Command("scontrol", "release", s.Array).CombinedOutput(); err != nil {
		return fmt.Errorf("release job %s: %w: %s", s.Array, err, strings.TrimSpace(string(out)))
	}
	for o.Wait {
		busy, err := queued([]string{s.Array, s.Merge})
		if err != nil {
			return err
		}
		if len(busy) == 0 {
			break
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for jobs %s and %s, which go on: %w", s.Array, s.Merge, ctx.Err())
		case <-time.After(time.Second):
		}
	}
	return nil
}

// sbatch submits a script and returns the id of the job.
func sbatch(file, command string, args []string) (id string, err error) {
	text := "#!/bin/sh\n# made by dagscope sweep: one job of a campaign\nexec " + command + "\n"
	if err := os.WriteFile(file, []byte(text), 0o777); err != nil {
		return "", fmt.Errorf("submit campaign: %w", err)
	}
	cmd := exec.Command("sbatch", append(slices.Clone(args), file)...)
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("submit campaign: sbatch: %w: %s", err, strings.TrimSpace(complaint.String()))
	}
	id, _, _ = strings.Cut(strings.TrimSpace(string(out)), ";") // with the cluster behind it, if there are several
	if _, err := strconv.Atoi(id); err != nil {
		return "", fmt.Errorf("submit campaign: found %q from sbatch --parsable, want the id of a job", strings.TrimSpace(string(out)))
	}
	return id, nil
}

// quote makes a text one word of a shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// escapeSlurm makes a path one in which Slurm replaces nothing.
func escapeSlurm(path string) string { return strings.ReplaceAll(path, "%", "%%") }

// queued are the jobs of some that still wait or run.
func queued(ids []string) ([]string, error) {
	out, err := exec.Command("squeue", "--noheader", "--format=%F", "--jobs="+strings.Join(ids, ",")).Output()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		if strings.Contains(string(failed.Stderr), "Invalid job id") {
			return nil, nil // of jobs that ended long ago
		}
		return nil, fmt.Errorf("look for jobs: squeue: %w: %s", err, strings.TrimSpace(string(failed.Stderr)))
	}
	if err != nil {
		return nil, fmt.Errorf("look for jobs: %w", err)
	}
	all := strings.Fields(string(out))
	slices.Sort(all)
	return slices.Compact(all), nil
}

// idle refuses to touch a campaign that Slurm works on.
func (c *Campaign) idle() error {
	if len(c.Plan.Jobs) == 0 {
		return nil
	}
	busy, err := queued(c.Plan.Jobs)
	if err != nil {
		return fmt.Errorf("continue campaign %s: it was submitted as jobs %s: %w", c.Dir, strings.Join(c.Plan.Jobs, ", "), err)
	}
	if len(busy) > 0 {
		return fmt.Errorf("continue campaign %s: jobs %s of it are queued or running; wait for them, or scancel them first", c.Dir, strings.Join(busy, ", "))
	}
	c.Plan.Jobs = nil
	return nil
}

// Share simulates a share of a submitted campaign into a table of its own; run
// again, what it lacks. part is "SUBMISSION:JOB".
func Share(ctx context.Context, dir, version, part string, o func(*Plan) Options) error {
	c := &Campaign{Dir: dir}
	var err error
	if c.Plan, err = parsePlan(c.path(planFile)); err != nil {
		return err
	}
	mine, err := c.myShare(part)
	if err != nil {
		return err
	}
	now, err := c.Plan.Again(version)
	if err != nil {
		return err
	}
	if what := now.differs(c.Plan); what != "" {
		return fmt.Errorf("simulate share %s of %s: %s", part, dir, what)
	}
	c.Plan.text = now.text
	file := c.path(partsDir, strings.ReplaceAll(part, ":", "-")+".csv")
	t, whole, err := readTable(file, c.Plan.Keys)
	if err != nil {
		return err
	}
	c.Table = t
	own := *c.Plan
	own.Points = mine
	c.Plan = &own
	_, err = c.runAll(ctx, c.Pending(false), file, whole, o(c.Plan))
	return err
}

// myShare reads the points of a share.
func (c *Campaign) myShare(part string) ([][]string, error) {
	first, second, _ := strings.Cut(part, ":")
	number, err1 := strconv.Atoi(first)
	job, err2 := strconv.Atoi(second)
	if err1 != nil || err2 != nil {
		return nil, fmt.Errorf("found share %q, want SUBMISSION:JOB", part)
	}
	text, err := os.ReadFile(c.sharesFile(number))
	if err != nil {
		return nil, fmt.Errorf("read shares: %w", err)
	}
	var shares [][][]string
	if err := json.Unmarshal(text, &shares); err != nil {
		return nil, fmt.Errorf("read %s: %w", c.sharesFile(number), err)
	}
	if job < 0 || job >= len(shares) {
		return nil, fmt.Errorf("found share %d, want 0 to %d", job, len(shares)-1)
	}
	for _, values := range shares[job] {
		if len(values) != len(c.Plan.Keys) {
			return nil, fmt.Errorf("read %s: found %d values of a point, want %d", c.sharesFile(number), len(values), len(c.Plan.Keys))
		}
	}
	return shares[job], nil
}

// Merge joins the tables of jobs to that of their campaign.
func Merge(dir string) (*Campaign, error) {
	c := &Campaign{Dir: dir}
	var err error
	if c.lock, err = lock(c.path(lockFile)); err != nil {
		return nil, fmt.Errorf("merge campaign %s: %w", dir, err)
	}
	defer c.Close()
	if c.Plan, err = parsePlan(c.path(planFile)); err != nil {
		return nil, err
	}
	if err := c.load(); err != nil {
		return nil, err
	}
	c.Plan.Jobs = nil
	return c, c.Save()
}
