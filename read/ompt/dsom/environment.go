package dsom

import (
	"maps"
	"slices"
	"strings"
)

// Which of the environment's variables a run keeps: the lists of the recorder's
// environment.c, for files of recorders that kept more. A test of read/record
// holds the two equal.

// keptPrefixes begin the names of variables that runtimes read.
var keptPrefixes = []string{
	"OMP_", "KMP_", "LIBOMP_", "GOMP_", "OMPT_", "DAGSCOPE_OMPT", "STARPU_",
}

// keptNames are variables that say where and on what a program runs.
var keptNames = []string{
	"LD_PRELOAD", "LD_LIBRARY_PATH", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
	"OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_COMM_WORLD_NODE_RANK", "PMI_RANK",
	"PMI_SIZE", "PMIX_RANK", "SLURM_ARRAY_JOB_ID", "SLURM_ARRAY_TASK_ID", "SLURM_CPUS_ON_NODE",
	"SLURM_CPUS_PER_TASK", "SLURM_CPU_BIND", "SLURM_CPU_BIND_LIST", "SLURM_CPU_BIND_TYPE", "SLURM_CPU_FREQ_REQ",
	"SLURM_DISTRIBUTION", "SLURM_GPUS", "SLURM_GPUS_ON_NODE", "SLURM_GPUS_PER_NODE", "SLURM_GPUS_PER_TASK",
	"SLURM_HINT", "SLURM_JOBID", "SLURM_JOB_CPUS_PER_NODE", "SLURM_JOB_ID", "SLURM_JOB_NUM_NODES",
	"SLURM_JOB_PARTITION", "SLURM_LOCALID", "SLURM_MEM_BIND", "SLURM_MEM_PER_CPU", "SLURM_MEM_PER_NODE",
	"SLURM_NNODES", "SLURM_NODEID", "SLURM_NPROCS", "SLURM_NTASKS", "SLURM_NTASKS_PER_CORE",
	"SLURM_NTASKS_PER_NODE", "SLURM_NTASKS_PER_SOCKET", "SLURM_PROCID", "SLURM_STEP_ID", "SLURM_STEP_NUM_NODES",
	"SLURM_STEP_NUM_TASKS", "SLURM_STEP_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE", "SLURM_THREADS_PER_CORE",
}

// secretParts are in names of secrets, wherever they are.
var secretParts = []string{
	"secret", "token", "key", "pass", "pwd", "jwt", "cred", "auth", "cookie", "cert", "private", "signature",
	"bearer",
}

// secretWords are whole words of such names.
var secretWords = []string{
	"pat", "pin", "otp", "pw", "salt", "sid", "sas",
}

// secretValues are in keys, addresses with a password and paths of files that hold such.
var secretValues = []string{
	"-----begin", "bearer ", "eyj", "/.ssh", "/.aws", "/.gnupg", "/.netrc", ".pem", ".key", "id_rsa",
	"id_ed25519", "secret", "credential", "passw", "token",
}

// Kept are the variables that a run may keep: those listed that do not look like
// secrets, and those that the user asked for by name. Left are the names of the
// others, sorted.
func (m *Meta) Kept() (kept map[string]string, left []string) {
	kept = map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(m.Environment)) {
		if value := m.Environment[name]; slices.Contains(m.Named, name) || keeps(name, value) {
			kept[name] = value
		} else {
			left = append(left, name)
		}
	}
	return kept, left
}

// keeps reports whether a run keeps a variable that nobody asked for.
func keeps(name, value string) bool {
	listed := slices.Contains(keptNames, name) ||
		slices.ContainsFunc(keptPrefixes, func(p string) bool { return strings.HasPrefix(name, p) })
	return listed && !isSecret(strings.ToLower(name), strings.ToLower(value))
}

// isSecret errs on the safe side: a variable that looks like a secret and is none
// can be named.
func isSecret(name, value string) bool {
	in := func(text string) func(string) bool {
		return func(part string) bool { return strings.Contains(text, part) }
	}
	_, address, isAddress := strings.Cut(value, "://")
	return slices.ContainsFunc(secretParts, in(name)) || slices.ContainsFunc(secretValues, in(value)) ||
		slices.ContainsFunc(strings.Split(name, "_"), func(w string) bool { return slices.Contains(secretWords, w) }) ||
		isAddress && strings.Contains(address, "@")
}
