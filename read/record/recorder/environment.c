/* Which of the environment's variables a recording keeps: those that say how an
 * OpenMP or MPI program runs, by name, and no other. What looks like a secret is
 * left out whatever its prefix is; what the user names (DAGSCOPE_OMPT_ENV) is kept
 * whatever it looks like. read/ompt/dsom/environment.go has the same lists, for
 * files of older recorders; a test holds the two equal. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "recorder.h"

extern char **environ;

static const char *const prefixes[] = {"OMP_", "KMP_", "LIBOMP_", "GOMP_", "OMPT_", "DAGSCOPE_OMPT", "STARPU_", NULL};

static const char *const names[] = {
    "LD_PRELOAD", "LD_LIBRARY_PATH",
    "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE",
    "OMPI_COMM_WORLD_NODE_RANK", "PMI_RANK", "PMI_SIZE", "PMIX_RANK",
    "SLURM_ARRAY_JOB_ID", "SLURM_ARRAY_TASK_ID", "SLURM_CPUS_ON_NODE", "SLURM_CPUS_PER_TASK", "SLURM_CPU_BIND",
    "SLURM_CPU_BIND_LIST", "SLURM_CPU_BIND_TYPE", "SLURM_CPU_FREQ_REQ", "SLURM_DISTRIBUTION", "SLURM_GPUS",
    "SLURM_GPUS_ON_NODE", "SLURM_GPUS_PER_NODE", "SLURM_GPUS_PER_TASK", "SLURM_HINT", "SLURM_JOBID",
    "SLURM_JOB_CPUS_PER_NODE", "SLURM_JOB_ID", "SLURM_JOB_NUM_NODES", "SLURM_JOB_PARTITION", "SLURM_LOCALID",
    "SLURM_MEM_BIND", "SLURM_MEM_PER_CPU", "SLURM_MEM_PER_NODE", "SLURM_NNODES", "SLURM_NODEID", "SLURM_NPROCS",
    "SLURM_NTASKS", "SLURM_NTASKS_PER_CORE", "SLURM_NTASKS_PER_NODE", "SLURM_NTASKS_PER_SOCKET", "SLURM_PROCID",
    "SLURM_STEP_ID", "SLURM_STEP_NUM_NODES", "SLURM_STEP_NUM_TASKS", "SLURM_STEP_TASKS_PER_NODE",
    "SLURM_TASKS_PER_NODE", "SLURM_THREADS_PER_CORE", NULL};

/* in names, wherever they are: of no variable that the runtimes document */
static const char *const secret_parts[] = {"secret", "token", "key",  "pass",    "pwd",       "jwt",  "cred",
                                           "auth",   "cookie", "cert", "private", "signature", "bearer", NULL};

/* as a whole word of a name: shorter ones are parts of others (SPIN) */
static const char *const secret_words[] = {"pat", "pin", "otp", "pw", "salt", "sid", "sas", NULL};

/* in values: keys, addresses with a password, files that hold such */
static const char *const secret_values[] = {"-----begin", "bearer ", "eyj",  "/.ssh",  "/.aws",      "/.gnupg",
                                            "/.netrc",    ".pem",    ".key", "id_rsa", "id_ed25519", "secret",
                                            "credential", "passw",   "token", NULL};

/* contains looks for a lower-case part, whatever the case of the text. */
static bool contains(const char *text, size_t length, const char *part) {
  size_t n = strlen(part);
  for (size_t at = 0; at + n <= length; at++) {
    size_t i = 0;
    while (i < n && tolower((unsigned char)text[at + i]) == part[i]) i++;
    if (i == n) return true;
  }
  return false;
}

static bool contains_any(const char *text, size_t length, const char *const *parts) {
  for (; *parts; parts++)
    if (contains(text, length, *parts)) return true;
  return false;
}

static bool has_secret_word(const char *name, size_t length) {
  for (size_t at = 0; at <= length;) {
    size_t n = 0;
    while (at + n < length && name[at + n] != '_') n++;
    for (const char *const *w = secret_words; *w; w++)
      if (n == strlen(*w) && contains(name + at, n, *w)) return true;
    at += n + 1;
  }
  return false;
}

static bool secret(const char *name, size_t length, const char *value) {
  const char *address = strstr(value, "://");
  return contains_any(name, length, secret_parts) || has_secret_word(name, length) ||
         contains_any(value, strlen(value), secret_values) || (address && strchr(address, '@'));
}

static bool listed(const char *name, size_t length) {
  for (const char *const *p = prefixes; *p; p++)
    if (length >= strlen(*p) && !strncmp(name, *p, strlen(*p))) return true;
  for (const char *const *p = names; *p; p++)
    if (length == strlen(*p) && !strncmp(name, *p, length)) return true;
  return false;
}

/* named: in the list of the user, whose names commas divide. */
static bool named(const char *name, size_t length) {
  const char *list = getenv("DAGSCOPE_OMPT_ENV");
  while (list && *list) {
    size_t n = strcspn(list, ",");
    if (n == length && !strncmp(list, name, n)) return true;
    list += n + (list[n] == ',');
  }
  return false;
}

void describe_environment(text_buffer *t) {
  text_buffer asked = {0};
  const char *separator = "", *next = "";
  text_add(t, ",\n\"environment\": {");
  for (char **v = environ; v && *v; v++) {
    const char *equal = strchr(*v, '=');
    char name[256];
    size_t length = equal ? (size_t)(equal - *v) : 0;
    if (!equal || length >= sizeof name) continue;
    bool user = named(*v, length);
    if (!user && (!listed(*v, length) || secret(*v, length, equal + 1))) continue;
    memcpy(name, *v, length);
    name[length] = 0;
    text_add(t, "%s\n  ", separator);
    text_json(t, name);
    text_add(t, ": ");
    text_json(t, equal + 1);
    separator = ",";
    if (!user) continue;
    text_add(&asked, "%s", next);
    text_json(&asked, name);
    next = ", ";
  }
  text_add(t, "}");
  if (asked.text) text_add(t, ",\n\"environment_named\": [%s]", asked.text);
  free(asked.text);
}
